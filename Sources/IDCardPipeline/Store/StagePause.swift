package import IDCardCore

/// Why a stage does not work: a `stop` that concerns every card.
package struct StagePause: Hashable, Sendable {
    /// The remote's code.
    package var code: String
    /// What happened and what to do.
    package var message: String
    /// Since when.
    package var since: Timestamp

    /// Describes a pause.
    package init(code: String, message: String, since: Timestamp) {
        self.code = code
        self.message = message
        self.since = since
    }
}

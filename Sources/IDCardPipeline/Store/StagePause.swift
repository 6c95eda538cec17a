package import IDCardCore

/// A stage of the pipeline that works through the store.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Photos to JPEGs.
    case prepare
    /// JPEGs to readings.
    case verify
    /// Verified cards to the business backend.
    case deliver
}

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

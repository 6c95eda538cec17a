package import IDCardCore

/// A batch over a source named in the configuration, started by a caller.
package struct SourceRun: Hashable, Sendable {
    /// Whether it goes on.
    package enum State: String, CaseIterable, Sendable, Codable {
        /// Its inputs are being taken in; after a restart it goes on.
        case running
        /// All its inputs are taken in; the cards go their way.
        case complete
        /// The source cannot be read.
        case failed
    }

    /// Its identifier, a UUID version 7.
    package var id: String
    /// The name of the source in the configuration.
    package var source: String
    /// Whether it goes on.
    package var state: State
    /// Why it failed, as a stable code.
    package var reason: ReasonCode?
    /// How many inputs became what: `admitted`, `duplicate`, `refused`, `ignored`.
    package var counts: [String: Int]
    /// When it began.
    package var startedAt: Timestamp
    /// When all its inputs were taken in, or it failed.
    package var endedAt: Timestamp?

    /// Describes a run.
    package init(
        id: String,
        source: String,
        state: State = .running,
        reason: ReasonCode? = nil,
        counts: [String: Int] = [:],
        startedAt: Timestamp,
        endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.source = source
        self.state = state
        self.reason = reason
        self.counts = counts
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

package import IDCardCore

/// A batch over a source named in the configuration, started by a caller.
package struct SourceRun: Hashable, Sendable {
    /// Whether it goes on.
    package enum State: String, CaseIterable, Sendable, Codable {
        /// Its inputs are being taken in, or it waits for the run of its source before it; after a restart it goes on.
        case running
        /// All its inputs are taken in; the cards go their way.
        case complete
        /// The source, or its manifest, cannot be read.
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
    /// How many inputs were refused for which stable code; of at most ``codeLimit`` codes, further ones under `other`.
    package var refusals: [String: Int]
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
        refusals: [String: Int] = [:],
        startedAt: Timestamp,
        endedAt: Timestamp? = nil
    ) {
        self.id = id
        self.source = source
        self.state = state
        self.reason = reason
        self.counts = counts
        self.refusals = refusals
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// The most codes of refusals that are told apart.
    package static let codeLimit = 50

    /// Counts an input that was refused.
    package mutating func countRefusal(_ reason: ReasonCode) {
        let isKnown = self.refusals[reason.rawValue] != nil || self.refusals.count < Self.codeLimit
        self.refusals[isKnown ? reason.rawValue : "other", default: 0] += 1
    }
}

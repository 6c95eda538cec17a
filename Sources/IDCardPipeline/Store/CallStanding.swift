package import IDCardCore

/// How the calls about some cards have gone at an endpoint, beside those about others: tells a failure that concerns
/// these cards from one that every card would get.
package struct CallStanding: Hashable, Sendable {
    /// How many calls about them have failed in a row.
    package var failures = 0
    /// When the first of these began; `nil` without any.
    package var firstFailedAt: Timestamp?
    /// Whether the endpoint took a call about another card that began after the first of them had failed.
    package var othersSucceededSinceFirst = false
    /// Whether it took one that began after the last of them had failed.
    package var othersSucceededSinceLast = false
    /// Whether one of them ended as a `stop`.
    package var hasStopped = false
    /// Whether the endpoint took a call about another card that began after the last of these.
    package var othersSucceededSinceStop = false
    /// How many other cards got a `stop` since the endpoint last took a call.
    package var otherStopped = 0

    /// Nothing has failed.
    package init() {}

    /// Whether a further `stop` concerns these cards alone: others were taken since the last one, and no other got one since.
    package var stopConcernsCards: Bool { self.hasStopped && self.othersSucceededSinceStop && self.otherStopped == 0 }

    /// What holds for all of some cards.
    package static func joining(_ standings: [CallStanding]) -> CallStanding {
        guard var joint = standings.first else { return CallStanding() }
        for other in standings.dropFirst() {
            joint.failures = max(joint.failures, other.failures)
            joint.firstFailedAt = [joint.firstFailedAt, other.firstFailedAt].compactMap(\.self).min()
            joint.othersSucceededSinceFirst = joint.othersSucceededSinceFirst && other.othersSucceededSinceFirst
            joint.othersSucceededSinceLast = joint.othersSucceededSinceLast && other.othersSucceededSinceLast
            joint.hasStopped = joint.hasStopped && other.hasStopped
            joint.othersSucceededSinceStop = joint.othersSucceededSinceStop && other.othersSucceededSinceStop
            joint.otherStopped = max(joint.otherStopped, other.otherStopped)
        }
        return joint
    }
}

/// What went wrong with the calls about one card since an endpoint last took it, as a store keeps it.
package struct CallFailure: Hashable, Sendable {
    /// How many calls have failed in a row.
    package var failures: Int
    /// When the first of these began.
    package var firstAt: Timestamp
    /// When the last of them ended.
    package var lastAt: Timestamp
    /// When the last of them ended that was a `stop`; `nil` without any.
    package var stoppedAt: Timestamp?
    /// The code of that one.
    package var code: String?

    /// Describes failures.
    package init(failures: Int, firstAt: Timestamp, lastAt: Timestamp, stoppedAt: Timestamp?, code: String? = nil) {
        self.failures = failures
        self.firstAt = firstAt
        self.lastAt = lastAt
        self.stoppedAt = stoppedAt
        self.code = code
    }

    /// How the card stands.
    ///
    /// - Parameters:
    ///   - succeededFrom: when the latest call began that the endpoint took about any other card; `nil` without any.
    ///   - otherStopped: how many other cards got a `stop` since.
    package func standing(succeededFrom: Timestamp?, otherStopped: Int) -> CallStanding {
        func isAfter(_ time: Timestamp) -> Bool { succeededFrom.map { $0 >= time } ?? false }
        var standing = CallStanding()
        standing.failures = self.failures
        standing.firstFailedAt = self.firstAt
        standing.othersSucceededSinceFirst = isAfter(self.firstAt)
        standing.othersSucceededSinceLast = isAfter(self.lastAt)
        standing.hasStopped = self.stoppedAt != nil
        standing.othersSucceededSinceStop = self.stoppedAt.map(isAfter) ?? false
        standing.otherStopped = otherStopped
        return standing
    }
}

extension FailureClass {
    /// What an attempt that ended so says of its endpoint: `true` if it works, `false` if it, or this card, failed;
    /// `nil` if nothing.
    package var provesEndpoint: Bool? {
        switch self {
        case .accepted, .rejected: true
        case .transient, .stop: false
        // A delivery of unknown outcome has rules of its own; the others are about pace, connection or size.
        case .unknown, .throttled, .notSent, .shrink: nil
        }
    }
}

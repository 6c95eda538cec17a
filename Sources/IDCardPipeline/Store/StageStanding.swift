package import IDCardCore

/// How a stage stands: since when a card waits for it, and whether its endpoint fails.
package struct StageStanding: Hashable, Sendable {
    /// When the oldest of the cards that wait for the stage was taken in; `nil` if none waits.
    package var oldestSince: Timestamp?
    /// How the endpoint fails that the stage calls; `nil` if it works, or no card waits for it.
    package var failure: EndpointFailure?

    /// Describes a stage.
    package init(oldestSince: Timestamp? = nil, failure: EndpointFailure? = nil) {
        self.oldestSince = oldestSince
        self.failure = oldestSince == nil ? nil : failure
    }
}

/// An endpoint to which no call has got through for a while: it cannot be reached, or answers with errors.
package struct EndpointFailure: Hashable, Sendable {
    /// How many calls in a row must have failed; a single one is retried and no news.
    package static let fewestCalls = 3
    /// How many calls are looked at to find the first that failed.
    package static let mostCalls = 5000

    /// The code of the last one.
    package var code: String
    /// When the first of them began; at least so long ago if more failed than are looked at.
    package var since: Timestamp
    /// When the last one began.
    package var lastAt: Timestamp

    /// Describes a failure.
    package init(code: String, since: Timestamp, lastAt: Timestamp) {
        self.code = code
        self.since = since
        self.lastAt = lastAt
    }
}

extension EndpointFailure {
    /// Finds out from the last calls to an endpoint, the latest first, whether it fails.
    package struct Search: Sendable {
        private var last: AttemptRecord?
        private var first: AttemptRecord?
        private var count = 0
        /// Whether earlier calls change nothing any more.
        package private(set) var isOver = false

        /// Begins with nothing known.
        package init() {}

        /// Takes the next earlier call.
        package mutating func look(at call: AttemptRecord) {
            guard !self.isOver else { return }
            switch call.failureClass {
            case .accepted, .rejected, .shrink, .throttled: self.isOver = true
            // A stage that stops for it is told of as stopped.
            case .stop: break
            case .transient, .unknown, .notSent:
                self.last = self.last ?? call
                self.first = call
                self.count += 1
            }
        }

        /// What was found.
        package var failure: EndpointFailure? {
            guard let last, let first, self.count >= EndpointFailure.fewestCalls else { return nil }
            return EndpointFailure(code: last.code, since: first.startedAt, lastAt: last.startedAt)
        }
    }

    /// What a person is told and can do about it.
    ///
    /// - Parameters:
    ///   - stage: the stage that calls the endpoint.
    ///   - address: where the endpoint is, if that is to be told.
    package func advice(at stage: Stage, address: String? = nil) -> String {
        let (name, key) = stage.endpoint ?? ("the endpoint", "the configuration")
        let place = address.map { " at \($0)" } ?? ""
        return
            "\(name)\(place) has taken no call since \(self.since), the last one ended with \(self.code) at \(self.lastAt); "
            + "cards are kept and go on by themselves: see whether it works, and check \(key)"
    }
}

extension Stage {
    /// What the stage calls, for a person, and the configuration key of its address; `nil` if it calls nothing.
    package var endpoint: (name: String, key: String)? {
        switch self {
        case .prepare: nil
        case .verify: ("the verification service", "verification.url")
        case .deliver: ("the business backend", "delivery.url")
        }
    }
}

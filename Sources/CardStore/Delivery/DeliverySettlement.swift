package import CardModel

/// How a delivery is repeated and judged.
package struct DeliveryTerms: Sendable {
    /// How failures that count are repeated.
    package var retry: RetryTerms
    /// What is done about one that may have been applied.
    package var onUnknown: UnknownPolicy

    /// Describes terms.
    package init(retry: RetryTerms, onUnknown: UnknownPolicy) {
        self.retry = retry
        self.onUnknown = onUnknown
    }
}

/// What becomes of a delivery after an attempt: a pure function of the outcome and of what was known before.
enum DeliverySettlement: Hashable, Sendable {
    /// The backend holds every member.
    case delivered(code: String)
    /// The backend answered for single members; the delivery is closed.
    case items([DeliveryItemOutcome])
    /// It was not applied: its members are `verified` again, each alone from now on if they were refused as a whole or failed too
    /// often together; a wait only where the failure counts.
    case dissolved(alone: Bool, waits: Bool = false)
    /// A definite no for its only member.
    case rejected(RemoteFailure)
    /// A code that no list names, for its only member: a person decides.
    case heldUnlisted(RemoteFailure)
    /// The backend may hold it: a person decides, and the delivery is kept to be sent again.
    case kept(RemoteFailure)
    /// The attempts are used up, and it was surely not applied.
    case failed(RemoteFailure)
    /// The same bytes go again; a wait only where the failure counts.
    case again(waits: Bool)

    /// What was known of a delivery before the attempt that is judged.
    struct Standing {
        /// Whether an earlier attempt may have been applied.
        var mayBeApplied: Bool
        /// How many members it has.
        var memberCount: Int
        /// Its failures, with this one.
        var history: FailureHistory
    }

    init(_ outcome: DeliveryOutcome, standing: Standing, terms: DeliveryTerms) {
        switch outcome {
        case .accepted(_, let code): self = .delivered(code: code)
        case .items(let items): self = .items(items)
        case .tokenExpired(let failure): self = standing.mayBeApplied ? .kept(failure) : .dissolved(alone: false)
        case .failed(let failure): self = Self.settle(failure, standing: standing, terms: terms)
        }
    }

    private static func settle(_ failure: RemoteFailure, standing: Standing, terms: DeliveryTerms) -> DeliverySettlement
    {
        let isUsedUp = standing.history.isUsedUp(by: terms.retry.maxAttempts)
        switch failure.failureClass {
        case .rejected, .shrink:
            if standing.mayBeApplied { return .kept(failure) }
            guard standing.memberCount == 1 else { return .dissolved(alone: true) }
            return failure.isUnlisted ? .heldUnlisted(failure) : .rejected(failure)
        case .throttled: return .again(waits: false)
        case .accepted, .notSent: return standing.mayBeApplied ? .again(waits: false) : .dissolved(alone: false)
        case .stop:
            // A request that another card's passes by is this one's own fault; it gets one more try.
            if failure.stopScope == .request, standing.history.isUsedUp(by: 1) {
                if standing.mayBeApplied { return .kept(failure) }
                // Of several members nobody knows which one is at fault.
                return standing.memberCount == 1 ? .failed(failure) : .dissolved(alone: true)
            }
            return standing.mayBeApplied ? .again(waits: false) : .dissolved(alone: false)
        case .transient:
            guard isUsedUp else { return .again(waits: true) }
            if standing.mayBeApplied { return .kept(failure) }
            // It was surely not applied, and one member may be the cause for all: each gets a try alone.
            return standing.memberCount == 1 ? .failed(failure) : .dissolved(alone: true, waits: true)
        case .unknown:
            return terms.onUnknown == .hold || isUsedUp ? .kept(failure) : .again(waits: true)
        }
    }
}

extension DeliveryOutcome {
    /// The failure, if it is one of the delivery as a whole.
    var failure: RemoteFailure? {
        switch self {
        case .accepted, .items: nil
        case .tokenExpired(let failure), .failed(let failure): failure
        }
    }

    /// The failure that its attempt is written down with: a joint reply that took no card tells as much of the endpoint as one
    /// for the whole.
    var toldFailure: RemoteFailure? {
        guard case .items(let items) = self else { return self.failure }
        let failures = items.map(\.failure)
        return failures.contains(nil) ? nil : failures.first ?? nil
    }

    /// The class under which its attempt is written down.
    var failureClass: FailureClass { self.toldFailure?.failureClass ?? .accepted }

    /// Whether the failure counts towards the most attempts.
    var counts: Bool {
        guard let failure else { return false }
        switch failure.failureClass {
        case .transient, .unknown: return true
        case .stop: return failure.stopScope == .request
        default: return false
        }
    }
}

extension DeliveryItemOutcome {
    fileprivate var failure: RemoteFailure? {
        switch self {
        case .accepted: nil
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure
        }
    }
}

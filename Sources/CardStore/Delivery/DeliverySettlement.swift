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
    /// It was not applied: its members are `verified` again, each alone from now on if they were refused as a whole.
    case dissolved(alone: Bool)
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
        /// Failures that count, with this one.
        var failures: Int
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
        let isUsedUp = standing.failures >= terms.retry.maxAttempts
        switch failure.failureClass {
        case .rejected, .shrink:
            if standing.mayBeApplied { return .kept(failure) }
            guard standing.memberCount == 1 else { return .dissolved(alone: true) }
            return failure.isUnlisted ? .heldUnlisted(failure) : .rejected(failure)
        case .throttled: return .again(waits: false)
        case .accepted, .notSent: return standing.mayBeApplied ? .again(waits: false) : .dissolved(alone: false)
        case .stop:
            // A request that another card's passes by is this one's own fault; it gets one more try.
            if failure.stopScope == .request, standing.failures >= 2 {
                if standing.mayBeApplied { return .kept(failure) }
                // Of several members nobody knows which one is at fault.
                return standing.memberCount == 1 ? .failed(failure) : .dissolved(alone: true)
            }
            return standing.mayBeApplied ? .again(waits: false) : .dissolved(alone: false)
        case .transient:
            guard isUsedUp else { return .again(waits: true) }
            return standing.mayBeApplied ? .kept(failure) : .failed(failure)
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

    /// The class under which its attempt is written down.
    var failureClass: FailureClass { self.failure?.failureClass ?? .accepted }

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

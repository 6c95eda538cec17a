import CardModel

/// The meaning of a verifier's answer, as a table: the first row that matches status and body counts.
///
/// Without a matching row, the call is tried again. A listed error string takes precedence, whatever the status: see
/// ``VendorCode``.
enum VerifierMeaning: String, CaseIterable, Sendable {
    /// A reading, or the statement that the photo shows no card.
    case read
    /// The answer is complete but not understood: the same photo would get the same answer.
    case unreadable
    /// The answer is complete but in another dialect.
    case otherDialect
    case tooLarge
    /// The service, or a gateway in its place, asks for a slower pace.
    case throttled, busy
    /// Every call would get this answer.
    case redirect, access, proxy, address
    /// The answer broke off: the rest may be an error string, which outranks the status (a 403 can mean "slow down").
    case cutOff
    /// Anything else: another call may succeed.
    case failed

    /// What the body of an answer says.
    enum Content: String, CaseIterable, Sendable {
        case reading
        /// A reading in another dialect than the configured one.
        case otherDialect
        /// An error string that the vendor does not list, or JSON, a short text or nothing.
        case nothingKnown
        /// HTML or a long text, usually from a gateway.
        case page
        /// The answer broke off.
        case cutOff
    }

    private typealias Row = AnswerRow<Content, VerifierMeaning>

    private static let rows: [Row] = [
        Row(200...299, .reading, is: .read), Row(200...299, .otherDialect, is: .otherDialect),
        Row(200...299, .nothingKnown, is: .unreadable), Row(200...299, .page, is: .failed),
        Row(413, is: .tooLarge), Row(429, is: .throttled), Row(503, withRetryAfter: true, is: .busy),
        Row(100...999, .cutOff, is: .cutOff),
        // A redirect is not followed, and our method is right: such a URL belongs to another service.
        Row(300...399, is: .redirect), Row(401, is: .access), Row(403, is: .access), Row(404...405, is: .address),
        Row(407, is: .proxy), Row(410, is: .address),
    ]

    init(status: Int, content: Content = .nothingKnown, asksToWait: Bool = false) {
        let row = Self.rows.first { $0.fits(status: status, content: content, asksToWait: asksToWait) }
        self = row?.meaning ?? .failed
    }

    /// The class of the failure, `nil` for a reading; and the message with the remedy, where the status decides it.
    func consequence(of reply: HTTPReply) -> (failureClass: FailureClass?, message: Message) {
        let status = reply.status
        return switch self {
        case .read: (nil, .verifierStatus(status))
        case .tooLarge: (.shrink, .verifierTooLarge(status))
        case .throttled: (.throttled, .verifierThrottled(status))
        case .busy: (.throttled, .verifierBusy(status))
        case .redirect: (.stop, .verifierRedirect(status))
        case .access: (.stop, .verifierAccess(status))
        case .proxy: (.stop, .verifierProxy(status))
        case .address: (.stop, .verifierURL(status))
        case .otherDialect: (.stop, .verifierStatus(status))
        case .cutOff: (.transient, .verifierCutOff(status, reply.body.count))
        case .unreadable, .failed: (.transient, .verifierStatus(status))
        }
    }

    var isUnreadable: Bool { self == .unreadable || self == .otherDialect }

    /// The scope of a stop: the account for wrong credentials, else one request, which perhaps only a firewall refuses.
    func stopScope(status: Int) -> RemoteFailure.StopScope { [401, 407].contains(status) ? .account : .request }
}

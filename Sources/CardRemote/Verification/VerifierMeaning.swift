import CardModel

/// The meaning of a verifier's answer, as a table: the first row that matches status and body counts. If no row matches, the call
/// is tried again. The table is for answers without a known error string, which would decide before the status: see
/// ``VendorCode``.
enum VerifierMeaning: String, CaseIterable, Sendable {
    /// A reading, or the statement that the photo shows no card.
    case read
    /// The answer is complete but not understood: the same photo would get the same answer.
    case unreadable
    /// The answer is complete but in another dialect.
    case otherDialect
    case tooLarge
    /// The service, or a gateway in front of it, asks for a slower pace.
    case throttled, busy
    /// Every call would get this answer.
    case redirect, access, proxy, address
    /// The answer broke off. The missing part may have an error string, which decides before the status (a 403 can mean "slow
    /// down"), so the call is tried again.
    case cutOff
    /// Anything else: another call may succeed.
    case failed

    /// What the body of an answer says.
    enum Content: String, CaseIterable, Sendable {
        case reading
        /// A reading in a dialect other than the configured one.
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
        // The service itself never redirects, so the URL is that of something else.
        Row(300...399, is: .redirect), Row(401, is: .access), Row(403, is: .access), Row(404...405, is: .address),
        Row(407, is: .proxy), Row(410, is: .address),
    ]

    init(status: Int, content: Content = .nothingKnown, asksToWait: Bool = false) {
        let row = Self.rows.first { $0.fits(status: status, content: content, asksToWait: asksToWait) }
        self = row?.meaning ?? .failed
    }

    /// The class of the failure, `nil` for a reading; and the message with the remedy, which is used if the status decides.
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

    /// The scope of a stop: the account for refused credentials; else the request, since a firewall may refuse just this one.
    func stopScope(status: Int) -> RemoteFailure.StopScope { [401, 407].contains(status) ? .account : .request }
}

import CardModel

/// The meaning of a backend's answer for a delivery, as a table: the first row that matches status and body counts. A refused
/// delivery may be sent anew, one with an unknown outcome only under its old key. So an answer counts as a refusal only if it is
/// certain that nothing was applied.
enum BackendMeaning: String, CaseIterable, Sendable {
    /// The backend has stored the document, now or earlier.
    case accepted, alreadyThere
    /// The backend applied nothing: it refused the TOKEN, answered "not now", or refused the document.
    case token, later, refused
    /// The code is in no list.
    case unlisted
    /// The answer is complete but not understood: the same bytes would get the same answer.
    case unreadable
    /// The code says success, but the status does not.
    case contradiction
    /// Another request with the same key is being processed, or had other content.
    case inProgress, keyConflict
    case tooLarge
    /// The backend, or a gateway in front of it, asks for a slower pace.
    case throttled, busy
    /// Every request would get this answer: a proxy refuses the credentials; the backend refuses access or address; it redirects;
    /// or the answer has no code.
    case proxy, access, address, redirect, noWord
    /// A redirect that usually follows a stored form.
    case redirectStored
    /// Anything else: the document may have arrived.
    case unknown

    /// What the body of an answer says.
    enum Content: Hashable, Sendable {
        /// A code, listed or not.
        case code(RetcodeTable.Meaning)
        /// JSON, XML, a short text or nothing, without a code.
        case noCode
        /// HTML or a long text, usually from a gateway.
        case page
        /// The answer broke off.
        case cutOff
    }

    private typealias Row = AnswerRow<Content, BackendMeaning>

    private static let rows: [Row] = [
        Row(200...299, .code(.success), is: .accepted), Row(200...299, .code(.alreadyExists), is: .alreadyThere),
        Row(200...299, .code(.tokenExpired), is: .token), Row(200...299, .code(.retryable), is: .later),
        Row(200...299, .code(.refusal), is: .refused), Row(200...299, .code(.unlisted), is: .unlisted),
        Row(200...299, .noCode, is: .unreadable), Row(200...299, is: .unknown),
        // Gateways answer `404 {"code":0}`, which looks like a success.
        Row(400...499, .code(.success), is: .contradiction),
        Row(401, is: .token), Row(407, is: .proxy), Row(408, is: .unknown), Row(421, is: .unknown),
        Row(425, is: .unknown), Row(429, is: .throttled),
        Row(400...499, .code(.alreadyExists), is: .alreadyThere), Row(400...499, .code(.tokenExpired), is: .token),
        Row(400...499, .code(.retryable), is: .later), Row(400...499, .code(.refusal), is: .refused),
        Row(403, is: .access), Row(404...405, is: .address), Row(409, is: .inProgress), Row(410, is: .address),
        Row(413, is: .tooLarge), Row(422, is: .keyConflict),
        // The missing part of the answer may say that the document is already there.
        Row(400...499, .cutOff, is: .unknown), Row(400...499, .code(.unlisted), is: .unlisted),
        Row(400...499, is: .noWord),
        // Web forms often redirect after they have stored the data (post/redirect/get).
        Row(302...303, is: .redirectStored), Row(300...399, is: .redirect), Row(503, withRetryAfter: true, is: .busy),
    ]

    init(status: Int, content: Content = .noCode, asksToWait: Bool = false) {
        let row = Self.rows.first { $0.fits(status: status, content: content, asksToWait: asksToWait) }
        self = row?.meaning ?? .unknown
    }

    // MARK: What follows

    /// The class of the failure, `nil` if accepted; whether the document may be stored; and the message with the remedy. The
    /// message is used if the reply has no answer with a code. Many statuses leave it open whether the document is stored, since
    /// a gateway may replace any answer of the backend.
    var consequence: (failureClass: FailureClass?, mayBeApplied: Bool, message: Message) {
        switch self {
        case .accepted, .alreadyThere: (nil, false, .backendUnknown)
        case .refused, .unlisted: (.rejected, false, .backendUnknown)
        case .tooLarge: (.rejected, false, .backendTooLarge)
        case .later: (.transient, false, .backendUnknown)
        case .throttled: (.throttled, false, .backendThrottled)
        case .busy: (.throttled, true, .backendBusy)
        case .token: (.stop, false, .backendUnknown)
        case .proxy: (.stop, false, .backendProxy)
        case .access: (.stop, true, .backendAccess)
        case .address: (.stop, true, .backendURL)
        case .redirect: (.stop, true, .backendRedirect)
        case .noWord: (.stop, true, .backendNotAboutCard)
        case .contradiction: (.unknown, true, .backendContradiction)
        case .inProgress: (.unknown, true, .backendInProgress)
        case .keyConflict: (.unknown, true, .backendKeyConflict)
        case .redirectStored: (.unknown, true, .backendRedirectStored)
        case .unreadable, .unknown: (.unknown, true, .backendUnknown)
        }
    }

    /// Whether every other card would get the same answer.
    var isStop: Bool { self.consequence.failureClass == .stop }
}

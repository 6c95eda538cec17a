import CardModel
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The context of a request: its connection, and a record of what is known about the request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let record = RequestRecord()

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

}

extension SocketAddress {
    /// The IPv4 address, or the 64-bit network prefix of an IPv6 address: clients are counted by it.
    var network: String {
        let bytes = self.ipBytes
        return bytes.count == 16
            ? bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
            : bytes.map { "\($0)" }.joined(separator: ".")
    }

    /// The 4 bytes of an IPv4 address, also of an IPv4-mapped one (RFC 4291 section 2.5.5.2), or the 16 bytes of any
    /// other IPv6 address.
    ///
    /// Read at fixed offsets (RFC 3493 section 3.3), not by the names of fields: which C module declares them depends on what
    /// the compiler has imported before.
    var ipBytes: [UInt8] {
        let bytes = self.withSockAddr { pointer, size in [UInt8](UnsafeRawBufferPointer(start: pointer, count: size)) }
        switch self {
        case .v4: return Array(bytes[4..<8])
        case .v6:
            let isMapped = bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xFF && bytes[19] == 0xFF
            return Array(bytes[isMapped ? 20..<24 : 8..<24])
        case .unixDomainSocket: return []
        }
    }
}

/// Collects what the log line of a request says, while the request is answered.
final class RequestRecord: Sendable {
    struct State {
        /// The name of the token or secret that the request came with.
        var caller: String?
        var bodyBytes = 0
        /// Why the webhook was not accepted.
        var webhookRefusal: String?
        /// Why the request was refused, or the error that a page of the console shows.
        var problem: (code: ProblemCode, error: any Error)?
        /// The state of the rate limit, for header fields of the answer.
        var rateLimit: RateLimit.Status?
    }

    /// The id of the request, in the log and in the answer.
    let id = RequestRecord.newID()
    private let state = Mutex(State())

    var known: State { self.state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return UUIDText.version4(using: &random)
    }
}

extension HTTPFields {
    /// The value of a field that comes once; `nil` if it is missing or comes several times.
    func single(_ name: HTTPField.Name) -> String? { self[values: name].count == 1 ? self[name] : nil }
}

extension HTTPField.Name {
    static let idempotencyKey = Self.known("Idempotency-Key")
    static let idempotentReplayed = Self.known("Idempotent-Replayed")
    static let requestID = Self.known("Request-Id")
    static let rateLimit = Self.known("RateLimit")
    static let rateLimitPolicy = Self.known("RateLimit-Policy")
    static let webhookID = Self.known("webhook-id")
    static let webhookTimestamp = Self.known("webhook-timestamp")
    static let webhookSignature = Self.known("webhook-signature")
    /// The purpose of an access to personal data, for the access log.
    static let why = Self.known("Card-Why")
    /// Why a card is erased, as a code.
    static let reason = Self.known("Card-Reason")
    static let referrerPolicy = Self.known("Referrer-Policy")

    /// Makes a name of a header field from a constant of this module.
    static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is no name of a header field.") }
        return name
    }
}

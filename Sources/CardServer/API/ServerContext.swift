import CardModel
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A request's context: its connection, and what becomes known of it.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let record = RequestRecord()

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// The address it came from, as far as one that fails is told apart by it.
    var remoteNetwork: String { self.channel.remoteAddress.map(Self.network(of:)) ?? "" }

    /// The address itself, but of IPv6 its network of 64 bits.
    static func network(of address: SocketAddress) -> String {
        let bytes = address.ipBytes
        return bytes.count == 16
            ? bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
            : bytes.map { "\($0)" }.joined(separator: ".")
    }
}

extension SocketAddress {
    /// The 4 bytes of an IPv4 address, also of one that comes by a socket of IPv6 (RFC 4291 section 2.5.5.2), or the 16
    /// of any other IPv6 address.
    ///
    /// Read where the structures of sockets have them (RFC 3493 section 3.3): which C module their fields count as a
    /// part of depends on what a compiler has seen before.
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

/// What becomes known of one request while it is answered, for its line in the log.
final class RequestRecord: Sendable {
    struct State {
        /// The name of the token that it came with.
        var caller: String?
        var bodyBytes = 0
        /// Why the webhook was not accepted.
        var webhookRefusal: String?
        /// Why it was refused, or a page of the console says that something went wrong.
        var problem: (code: ProblemCode, error: any Error)?
        /// Header fields that go with every answer to it.
        var rateLimit: RateLimit.Status?
    }

    /// Its name, in the log and in the answer.
    let id = RequestRecord.newID()
    private let state = Mutex(State())

    var known: State { self.state.withLock { $0 } }

    func note(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return UUIDText.version4(using: &random)
    }
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
    /// Why personal data is touched, for the access log.
    static let why = Self.known("Card-Why")
    /// Why a card is erased, as a code.
    static let reason = Self.known("Card-Reason")
    static let referrerPolicy = Self.known("Referrer-Policy")
    static let exposedHeaders = Self.known("Access-Control-Expose-Headers")

    /// Makes a name that is written in this module.
    static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is no name of a header field.") }
        return name
    }
}

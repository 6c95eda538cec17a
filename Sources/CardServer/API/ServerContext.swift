import CardModel
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A request's context: its connection, and what becomes known of it.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection it came by.
    let channel: any Channel
    /// What becomes known of it.
    let record = RequestRecord()

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// The address it came from, as far as one that fails is told apart by it.
    var remoteNetwork: String { self.channel.remoteAddress.map(Self.network(of:)) ?? "" }

    /// The address itself, but of IPv6 its network of 64 bits; one of IPv4 that comes by a socket of IPv6 is one of
    /// IPv4.
    static func network(of address: SocketAddress) -> String {
        if let bytes = address.mappedIPv4Bytes { return bytes.map { "\($0)" }.joined(separator: ".") }
        guard let bytes = address.ipv6Bytes else { return address.ipAddress ?? "" }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}

/// What becomes known of one request while it is answered, for its line in the log.
final class RequestRecord: Sendable {
    struct State {
        /// The name of the token that it came with.
        var caller: String?
        /// The template of its path.
        var route: String?
        /// How many bytes of its body were read.
        var bodyBytes = 0
        /// Header fields that go with every answer to it.
        var rateLimit: RateLimit.Standing?
    }

    /// Its name, in the log and in the answer.
    let id = RequestRecord.newID()
    private let state = Mutex(State())

    /// What is known so far.
    var known: State { self.state.withLock { $0 } }

    /// Notes something.
    func note(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// Makes a name for a request.
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

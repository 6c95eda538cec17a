package import Foundation

package protocol Verifier: Sendable {
    /// The provider and dialect: part of the key under which readings are stored.
    var provider: String { get }
    /// The parameters that change a reading: part of the same key, never a credential.
    var parameters: String { get }
    /// Host and port.
    var endpoint: String { get }
    /// All settings for interpreting answers: after a change of them, an answer not understood before may be understood.
    var terms: Redacted<String> { get }

    /// Reads the TLS files again; on an error the old ones stay in use.
    func reload() throws(CodedError)

    /// Reads one photo; throws only `CancellationError`.
    func verify(_ image: PreparedImage) async throws -> VerificationOutcome
}

package protocol Backend: Sendable {
    /// Receives the number of bytes sent of a form, and their total; must not block.
    typealias ByteProgress = @Sendable (_ sent: Int64, _ total: Int64) -> Void

    /// Host and port.
    var endpoint: String { get }
    /// All settings for interpreting answers.
    var terms: Redacted<String> { get }
    /// The format of new deliveries.
    var body: DeliveryBody { get }

    /// Reads the TLS files again; on an error the old ones stay in use.
    func reload() throws(CodedError)

    /// Makes the parts of one delivery with the current TOKEN.
    func parts(for members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart]

    /// Derives the boundary of a delivery from its key; throws if a part contains the boundary.
    func boundary(for key: String, parts: [DeliveryPart], images: [CardID: Data]) throws(RemoteFailure) -> String

    /// Makes one attempt; throws only `CancellationError`, after which the outcome is unknown.
    func send(_ delivery: OutboundDelivery, progress: ByteProgress?) async throws -> DeliveryOutcome

    func token(in parts: [DeliveryPart]) -> Redacted<String>?

    /// Reads the TOKEN from its source again; returns whether it differs from the one in the parts.
    func refreshToken(staleIn parts: [DeliveryPart]) async -> Bool
}

/// Images named by URL.
package protocol Fetcher: Sendable {
    /// Makes bytes at an offset of a version of the image durable; throws `CodedError`.
    typealias StorePiece = @Sendable (_ bytes: Data, _ offset: Int, _ version: FetchedVersion) async throws -> Void

    /// Reads the TLS file again; on an error the old one stays in use.
    func reload() throws(CodedError)

    /// Returns host name and port of an address; throws `CodedError` of kind `input` if the rules forbid the address.
    func host(of address: Redacted<String>) throws(CodedError) -> String

    /// Fetches the missing bytes of an image; throws only `CancellationError` and the errors of `store`.
    func fetch(_ request: FetchRequest, store: @escaping StorePiece) async throws -> FetchOutcome
}

/// The recompressed JPEG of a card: the bytes that are verified and delivered. It does not print its bytes.
package struct PreparedImage: Hashable, Sendable, Discreet {
    /// A JPEG stream: upright, within the configured edge and byte budget, without metadata.
    package var jpeg: Data
    package var width: Int
    package var height: Int
    /// The SHA-256 of `jpeg`.
    package var digest: ContentDigest

    package init(jpeg: Data, width: Int, height: Int, digest: ContentDigest) {
        (self.jpeg, self.width, self.height, self.digest) = (jpeg, width, height, digest)
    }

    package var description: String { "PreparedImage(\(self.width)x\(self.height), \(self.jpeg.count) bytes)" }
}

package enum VerificationOutcome: Hashable, Sendable {
    case read(CardReading)
    case failed(RemoteFailure)

    package var failure: RemoteFailure? { if case .failed(let failure) = self { failure } else { nil } }
    package var failureClass: FailureClass { self.failure?.failureClass ?? .accepted }
}

/// The key under which a reading may be reused: the bytes sent, the service that read them, and its parameters.
package struct ReadingKey: Hashable, Sendable {
    /// The SHA-256 of the JPEG that was sent.
    package var imageDigest: ContentDigest
    /// The provider and dialect, such as `faceid-v1`.
    package var provider: String
    /// The parameters that change an answer, such as `legality=1`.
    package var parameters: String

    package init(imageDigest: ContentDigest, provider: String, parameters: String) {
        self.imageDigest = imageDigest
        self.provider = provider
        self.parameters = parameters
    }
}

/// The version of an image that a URL gave with its first bytes, so that a later attempt continues the same version.
package struct FetchedVersion: Hashable, Sendable, Codable {
    /// The strong `ETag`, or the `Last-Modified` date, exactly as received (RFC 9110 section 8.8).
    package var validator: String?
    /// The total number of bytes, if the host gave it.
    package var byteCount: Int?

    private enum CodingKeys: String, CodingKey {
        case validator = "validator"
        case byteCount = "byteCount"
    }

    package init(validator: String?, byteCount: Int?) {
        self.validator = validator
        self.byteCount = byteCount
    }
}

/// An image to fetch, with the bytes already received.
package struct FetchRequest: Sendable {
    /// The address, which may carry a signature in its query.
    package var address: Redacted<String>
    /// The ranges of bytes that are already durable, in order; the gaps between them are missing.
    package var stored: [Range<Int>]
    /// The version of the durable bytes.
    package var version: FetchedVersion?

    package init(address: Redacted<String>, stored: [Range<Int>], version: FetchedVersion?) {
        self.address = address
        self.stored = stored
        self.version = version
    }
}

/// The outcome of an attempt to fetch an image.
package enum FetchOutcome: Sendable {
    /// All bytes are durable.
    case fetched
    /// The host, or the connection to it, failed.
    case failed(RemoteFailure)
    /// The configured rules forbid the address; an operator may change them.
    case forbidden(CodedError)
    /// The host sends no usable image: empty or too large.
    case unusable(CodedError)
    /// Our own disk has no room now, or this process no longer has the claim of the card.
    case interrupted

    /// The class of the attempt.
    package var failureClass: FailureClass {
        switch self {
        case .fetched: .accepted
        case .failed(let failure): failure.failureClass
        case .forbidden, .unusable: .rejected
        case .interrupted: .transient
        }
    }
}

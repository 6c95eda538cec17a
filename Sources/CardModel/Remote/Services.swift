package import Foundation

package protocol Verifier: Sendable {
    /// The provider and dialect: part of the key under which readings are kept.
    var provider: String { get }
    /// The parameters that change what is read: part of the same key, never a credential.
    var parameters: String { get }
    /// Host and port.
    var endpoint: String { get }
    /// All that answers are read with: under other terms, an answer may be understood that was not.
    var terms: Redacted<String> { get }

    /// Reads the files of TLS again; throws what keeps those in use.
    func reload() throws(CodedError)

    /// Has one photo read; throws only `CancellationError`.
    func verify(_ image: PreparedImage) async throws -> VerificationOutcome
}

package protocol Backend: Sendable {
    /// Told how many bytes of a form went out, of how many; it must not block.
    typealias ByteProgress = @Sendable (_ sent: Int64, _ total: Int64) -> Void

    /// Host and port.
    var endpoint: String { get }
    /// All that answers are read with.
    var terms: Redacted<String> { get }
    /// What new deliveries are sent as.
    var body: DeliveryBody { get }

    /// Reads the files of TLS again; throws what keeps those in use.
    func reload() throws(CodedError)

    /// Forms the parts of one delivery with the TOKEN as it is now.
    func parts(for members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart]

    /// Derives the boundary of a delivery from its key and proves it absent from every part.
    func boundary(
        for key: String,
        parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(RemoteFailure) -> String

    /// Makes one attempt; throws only `CancellationError`, after which the outcome is unknown.
    func send(_ delivery: OutboundDelivery, progress: ByteProgress?) async throws -> DeliveryOutcome

    /// The TOKEN that these parts hold.
    func token(in parts: [DeliveryPart]) -> Redacted<String>?

    /// Reads the TOKEN source again; whether another TOKEN came than these parts hold.
    func refreshToken(staleIn parts: [DeliveryPart]) async -> Bool
}

/// Images named by URL.
package protocol Fetcher: Sendable {
    /// Makes bytes durable, which begin at an offset of a version of the image; throws `CodedError`.
    typealias Keep = @Sendable (_ bytes: Data, _ offset: Int, _ version: FetchedVersion) async throws -> Void

    /// Reads the file of TLS again; throws what keeps the one in use.
    func reload() throws(CodedError)

    /// The host of an address, by name and port; throws `CodedError` of kind `input` if the rules forbid it.
    func host(of address: Redacted<String>) throws(CodedError) -> String

    /// Fetches what is missing of an image; throws only `CancellationError` and what `keep` throws.
    func fetch(_ request: FetchRequest, keep: @escaping Keep) async throws -> FetchOutcome
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

/// How an attempt of a verification ended.
package enum VerificationOutcome: Hashable, Sendable {
    case read(CardReading)
    case failed(RemoteFailure)
}

/// Under what a reading may be used again: the bytes sent, who read them, and with which parameters.
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

/// What an image named by URL was when its first bytes came, so that a later attempt asks for the rest of the same bytes.
package struct FetchedVersion: Hashable, Sendable, Codable {
    /// The strong `ETag`, or the `Last-Modified` date, as it came (RFC 9110 section 8.8).
    package var validator: String?
    /// How many bytes there are in all, if the host said so.
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

/// An image to be fetched, with what is there of it.
package struct FetchRequest: Sendable {
    /// The address, which may carry a signature in its query.
    package var address: Redacted<String>
    /// The bytes that are durable, in order and apart from each other.
    package var kept: [Range<Int>]
    /// What they are bytes of.
    package var version: FetchedVersion?

    package init(address: Redacted<String>, kept: [Range<Int>], version: FetchedVersion?) {
        self.address = address
        self.kept = kept
        self.version = version
    }
}

/// How an attempt to fetch an image ended.
package enum FetchOutcome: Sendable {
    /// All bytes are durable.
    case fetched
    /// The host, or the way to it, failed.
    case failed(RemoteFailure)
    /// Our own rules forbid the address; somebody may change them.
    case forbidden(CodedError)
    /// What the host sends is no usable image: empty or too large.
    case unusable(CodedError)
}

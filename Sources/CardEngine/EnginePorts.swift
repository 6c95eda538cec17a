package import CardModel
package import Foundation

/// What the engine asks of the outside: functions over model types, so that it knows neither HTTP nor libjpeg.
package struct EnginePorts: Sendable {
    /// The verification service.
    package struct Verifier: Sendable {
        /// The provider and dialect; part of the key under which readings are kept.
        package var provider: String
        /// The parameters that change an answer; likewise.
        package var parameters: String
        /// The host that is called, with its port.
        package var endpoint: String
        /// Posts an image; throws only `CancellationError`.
        package var verify: @Sendable (_ image: PreparedImage) async throws -> VerificationOutcome

        /// Describes a service.
        package init(
            provider: String,
            parameters: String,
            endpoint: String,
            verify: @escaping @Sendable (_ image: PreparedImage) async throws -> VerificationOutcome
        ) {
            self.provider = provider
            self.parameters = parameters
            self.endpoint = endpoint
            self.verify = verify
        }
    }

    /// Told how many bytes of a form went out, of how many.
    package typealias Progress = @Sendable (_ sent: Int64, _ total: Int64) -> Void

    /// The business backend.
    package struct Backend: Sendable {
        /// The host that is called, with its port.
        package var endpoint: String
        /// What new deliveries are sent as.
        package var body: DeliveryBody
        /// Builds the form of some cards with the TOKEN as it is now.
        package var parts: @Sendable (_ members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart]
        /// Derives a boundary from an idempotency key and proves it absent from the parts.
        package var boundary:
            @Sendable (_ key: String, _ parts: [DeliveryPart], _ images: [CardID: Data]) throws(RemoteFailure) -> String
        /// Sends a delivery and tells how many bytes of how many went out; throws only `CancellationError`.
        package var send:
            @Sendable (_ delivery: OutboundDelivery, _ progress: @escaping Progress) async throws -> DeliveryOutcome
        /// The TOKEN that a form was built with.
        package var token: @Sendable (_ parts: [DeliveryPart]) -> Redacted<String>?
        /// Reads the TOKEN from its source again; whether it is another one than a form was built with.
        package var refreshToken: @Sendable (_ parts: [DeliveryPart]) async -> Bool

        /// Describes a backend.
        package init(
            endpoint: String,
            body: DeliveryBody = .multipart,
            parts: @escaping @Sendable (_ members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart],
            boundary:
                @escaping @Sendable (_ key: String, _ parts: [DeliveryPart], _ images: [CardID: Data])
                throws(RemoteFailure)
                -> String,
            send:
                @escaping @Sendable (_ delivery: OutboundDelivery, _ progress: @escaping Progress) async throws ->
                DeliveryOutcome,
            token: @escaping @Sendable (_ parts: [DeliveryPart]) -> Redacted<String>?,
            refreshToken: @escaping @Sendable (_ parts: [DeliveryPart]) async -> Bool
        ) {
            self.endpoint = endpoint
            self.body = body
            self.parts = parts
            self.boundary = boundary
            self.send = send
            self.token = token
            self.refreshToken = refreshToken
        }
    }

    /// Images named by URL.
    package struct Fetcher: Sendable {
        /// Makes bytes durable, which begin at an offset of a version of the image; throws `CodedError`.
        package typealias Keep =
            @Sendable (_ bytes: Data, _ offset: Int, _ version: FetchedVersion) async throws -> Void

        /// The host of an address by name and port; throws `CodedError` of kind `input` if our rules forbid it.
        package var host: @Sendable (_ address: Redacted<String>) throws -> String
        /// Fetches what is missing of an image; throws only `CancellationError` and what `keep` throws.
        package var fetch: @Sendable (_ request: FetchRequest, _ keep: @escaping Keep) async throws -> FetchOutcome

        /// Describes how images are fetched.
        package init(
            host: @escaping @Sendable (_ address: Redacted<String>) throws -> String,
            fetch: @escaping @Sendable (_ request: FetchRequest, _ keep: @escaping Keep) async throws -> FetchOutcome
        ) {
            self.host = host
            self.fetch = fetch
        }
    }

    /// Reads a file, which must still be the one that was listed; throws `CodedError`.
    package var read: @Sendable (_ file: FileIdentity) async throws -> Data
    /// Makes the JPEG of a card out of source bytes, off the cooperative threads; throws `CodedError`.
    package var prepare: @Sendable (_ source: Data) async throws -> PreparedImage
    /// Makes a prepared image smaller; `nil` if it is as small as it may get.
    package var shrink: @Sendable (_ image: PreparedImage) async throws -> PreparedImage?
    /// Images named by URL.
    package var fetcher: Fetcher
    /// The verification service.
    package var verifier: Verifier
    /// The business backend.
    package var backend: Backend

    /// Joins the functions.
    package init(
        read: @escaping @Sendable (_ file: FileIdentity) async throws -> Data,
        prepare: @escaping @Sendable (_ source: Data) async throws -> PreparedImage,
        shrink: @escaping @Sendable (_ image: PreparedImage) async throws -> PreparedImage?,
        fetcher: Fetcher,
        verifier: Verifier,
        backend: Backend
    ) {
        self.read = read
        self.prepare = prepare
        self.shrink = shrink
        self.fetcher = fetcher
        self.verifier = verifier
        self.backend = backend
    }
}

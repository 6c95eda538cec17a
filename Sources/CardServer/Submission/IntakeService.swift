import CardEngine
import CardModel
import CardStore
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Admits photos through the engine and makes the answer: shared by forms, raw bodies and webhooks.
final class IntakeService: Sendable {
    let ports: CardServer.Ports
    let configuration: CardServer.Configuration
    private let metrics: ServerMetrics
    /// The bodies of all requests with a token or a signature.
    let budget: ByteBudget
    /// Webhook bodies whose signature is not checked yet.
    let unsigned: UnsignedBodies
    /// The most bytes of a webhook.
    let webhookBytes: Int
    /// The names of requests that are in progress.
    private let underWay = Mutex<Set<[String]>>([])

    init(ports: CardServer.Ports, configuration: CardServer.Configuration, metrics: ServerMetrics) {
        (self.ports, self.metrics, self.configuration) = (ports, metrics, configuration)
        // A webhook with the largest image needs its body twice, and the image: less than four times the image.
        let largest = 4 * configuration.imageBytes
        let limit = max(configuration.bodyMemory, largest)
        // No submitter gets all of it, but each enough for the largest image.
        self.budget = ByteBudget(limit: limit, share: max(limit / 2, largest), patience: configuration.roomWait)
        self.webhookBytes = configuration.imageBytes / 3 * 4 + Limits.formOverheadBytes
        self.unsigned = UnsignedBodies(limit: max(configuration.connections.unsignedMemory, self.webhookBytes))
    }

    var diskSpace: DiskSpace { self.ports.store.intake.room(intakeFreeSpace: self.configuration.intakeFreeSpace) }

    /// Checks that more photos may be admitted; called before a body is read.
    ///
    /// - Throws: ``Problem``: `queue_full`, `disk_space_low`.
    func requireRoom() async throws {
        guard var problem = try await self.refusal() else { return }
        problem.endsConnection = true
        throw problem
    }

    /// Why nothing more is admitted; `nil` if photos are.
    func refusal() async throws -> Problem? {
        if self.diskSpace != .ample { return Problem(.diskSpaceLow, retryAfter: .seconds(60)) }
        return try await self.ports.isFull() ? Problem(.queueFull, retryAfter: .seconds(5)) : nil
    }

    /// Runs `body` under the name of a request; `nil` if a request of this name is in progress.
    func withoutOverlap<Value>(named name: [String], _ body: () async throws -> Value) async throws -> Value? {
        guard self.underWay.withLock({ $0.insert(name).inserted }) else { return nil }
        defer { self.underWay.withLock { _ = $0.remove(name) } }
        return try await body()
    }

    /// Checks the fields of an image.
    ///
    /// - Throws: ``Problem``: `business_no_missing`, `user_no_missing`; `CodedError`: `business_no_invalid`,
    ///   `field_invalid`.
    func metadata(_ texts: FieldTexts) throws -> CardMetadata {
        let fields = try texts.fields()
        guard let businessNumber = fields.businessNumber else {
            throw Problem(.businessNumberMissing, .requestFieldMissing(.businessNumber))
        }
        guard !self.configuration.requiresUserNumber || fields.userNumber != nil else {
            throw Problem(.userNumberMissing, .requestFieldMissing(.userNumber))
        }
        return CardMetadata(fields, businessNumber: businessNumber)
    }

    /// Admits the photos of a request, all of them or none; they are durable when this returns.
    ///
    /// - Parameter receipt: the name of the request.
    /// - Throws: ``Problem``: `card_underway`, a code of the image, or `idempotency_key_reused` or `webhook_id_reused`;
    ///   `CodedError`.
    func admit(
        _ photos: [Photo],
        from sender: Caller,
        receipt: (kind: Receipt.Kind, name: String)?
    ) async throws -> [Admitted] {
        var photos = photos
        if let receipt {
            let digest = ContentDigest(of: photos)
            for index in photos.indices {
                photos[index].receipt = Receipt(kind: receipt.kind, name: receipt.name, request: digest, index: index)
            }
        }
        do {
            return try await self.ports.engine.intake(of: sender).receive(photos)
        } catch let error as CodedError where error.code == .requestReused {
            throw Problem(receipt?.kind == .webhook ? .webhookReused : .keyReused)
        } catch let refusal as RefusedUpload {
            // Not counted by submitter: readers of metrics are not auditors. The log line of the request names the submitter.
            self.metrics.add(.refusedUploads, [refusal.error.code.rawValue])
            throw Problem(unusable: refusal.error, part: refusal.photo.part)
        }
    }

    /// The answer to a client about the cards of its request.
    static func response(_ outcomes: [Admitted]) -> Response {
        var headers = HTTPFields()
        if outcomes.allSatisfy(\.isReplay) { headers[.idempotentReplayed] = "true" }
        let answers = outcomes.map { outcome -> JSONObject in
            // A repeated request gets the same answer as the first one.
            let isDuplicate = outcome.isDuplicate && !outcome.isReplay
            return [
                "card_id": outcome.card, "state": outcome.state, "reason": outcome.reason, "duplicate": isDuplicate,
            ]
        }
        guard answers.count == 1 else {
            return Response(json: ["cards": answers], status: .accepted, headers: headers)
        }
        headers[.location] = "/v1/cards/\(outcomes[0].card)"
        return Response(json: answers[0], status: .accepted, headers: headers)
    }
}

extension Photo {
    init(_ bytes: Data, _ metadata: CardMetadata) {
        self.init(.bytes(bytes, ContentDigest(of: bytes)), metadata: metadata)
    }
}

extension ContentDigest {
    /// Digests the content of a request, to detect another request under the same name. The bytes cannot be compared: the
    /// boundary of a form differs from one attempt to the next.
    fileprivate init(of photos: [Photo]) {
        let digests = photos.compactMap { photo -> ContentDigest? in
            switch photo.location {
            case .bytes(_, let digest): ContentDigest(of: photo.metadata, image: digest)
            case .address(let address):
                ContentDigest(of: photo.metadata, image: ContentDigest(of: Data(address.reveal().utf8)))
            // No request names a file.
            case .file: nil
            }
        }
        self = digests.count == 1 ? digests[0] : ContentDigest(of: digests.reduce(into: Data()) { $0 += $1.bytes })
    }

    init(of metadata: CardMetadata, image: ContentDigest) {
        var hash = SHA256()
        let texts = [
            "cards/1", metadata.businessNumber.rawValue, metadata.userNumber?.reveal(),
            metadata.expectedIDNumber?.reveal(), metadata.expectedName?.reveal(), metadata.side?.rawValue,
            "\(metadata.priority)",
        ]
        for text in texts {
            // The length first, so that no two lists of texts give the same bytes; a missing text differs from an empty one.
            let bytes = Data((text ?? "").utf8)
            hash.update(data: Data("\(text == nil ? -1 : bytes.count):".utf8))
            hash.update(data: bytes)
        }
        hash.update(data: image.bytes)
        self.init(hash.finalize())
    }
}

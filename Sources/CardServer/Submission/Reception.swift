import CardEngine
import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import Synchronization

/// Takes photos in over the engine, and says what became of them: what forms, raw bodies and webhooks have in common.
final class Reception: Sendable {
    let ports: CardServer.Ports
    let configuration: CardServer.Configuration
    /// The bodies of all requests with a token or a signature.
    let budget: ByteBudget
    /// Those of webhooks whose signature is still to be checked.
    let unsigned: UnsignedBodies
    /// The most bytes of a webhook.
    let webhookBytes: Int
    /// The names of requests whose first sending has not ended.
    private let underWay = Mutex<Set<[String]>>([])

    init(ports: CardServer.Ports, configuration: CardServer.Configuration) {
        self.ports = ports
        self.configuration = configuration
        // A webhook with the largest image takes its body twice, and the image: less than four times the image.
        let largest = 4 * configuration.imageBytes
        let limit = max(configuration.bodyMemory, largest)
        // Nobody has all of it, but everybody enough for the largest image.
        self.budget = ByteBudget(limit: limit, share: max(limit / 2, largest))
        self.webhookBytes = configuration.imageBytes / 3 * 4 + Limits.formOverheadBytes
        self.unsigned = UnsignedBodies(limit: max(configuration.connections.unsignedMemory, self.webhookBytes))
    }

    /// Goes on if more may come in; asked before a body is read.
    ///
    /// - Throws: ``Problem``: `queue_full`, `disk_space_low`.
    func requireRoom() async throws {
        guard var problem = try await self.refusal() else { return }
        problem.endsConnection = true
        throw problem
    }

    /// Why nothing more is taken in; `nil` if it is.
    func refusal() async throws -> Problem? {
        if self.ports.store.room(intakeFreeSpace: self.configuration.intakeFreeSpace) != .ample {
            return Problem(.diskSpaceLow, retryAfter: .seconds(60))
        }
        return try await self.ports.isFull() ? Problem(.queueFull, retryAfter: .seconds(5)) : nil
    }

    /// Does something under the name of a request, unless that is being done already: `nil` then.
    func hold<Value>(_ name: [String], _ body: () async throws -> Value) async throws -> Value? {
        guard self.underWay.withLock({ $0.insert(name).inserted }) else { return nil }
        defer { self.underWay.withLock { _ = $0.remove(name) } }
        return try await body()
    }

    /// What the fields of an image say, checked.
    ///
    /// - Throws: ``Problem``: `business_no_missing`, `user_no_missing`; `CodedError`: `business_no_invalid`,
    ///   `field_invalid`.
    func metadata(_ texts: FieldTexts) throws -> CardMetadata {
        let fields = try texts.fields()
        guard let businessNumber = fields.businessNumber else {
            throw Problem(.businessNumberMissing, FieldTexts.remedy(for: .businessNumber))
        }
        guard !self.configuration.requiresUserNumber || fields.userNumber != nil else {
            throw Problem(.userNumberMissing, FieldTexts.remedy(for: .userNumber))
        }
        return CardMetadata(fields, businessNumber: businessNumber)
    }

    /// Takes a photo in, and answers once it is durable.
    ///
    /// - Throws: ``Problem``: `card_underway`, or `idempotency_key_reused` or `webhook_id_reused`; `CodedError`.
    func take(
        _ content: Admission.Content,
        metadata: CardMetadata,
        submitter: String,
        source: ContentDigest?,
        receipt: Receipt?
    ) async throws -> Response {
        let outcome: AdmissionOutcome
        do {
            outcome = try await self.ports.engine.receive(
                content,
                // What a sender calls the image is not used.
                name: Redacted("request"),
                metadata: metadata,
                submitter: submitter,
                source: source,
                receipt: receipt
            )
        } catch let error as CodedError where error.code == .requestReused {
            throw Problem(receipt?.kind == .webhook ? .webhookReused : .keyReused)
        }
        // Who repeats a request gets its answer, whatever others have said since.
        guard outcome.isDuplicate, !outcome.isReplay,
            let card = try await self.ports.store.cards([outcome.card], for: .process).first,
            card.state != .erased, card.submitter == submitter,
            card.metadata.takingOver(metadata) != card.metadata
        else { return Self.response(outcome) }
        throw Problem(
            .cardUnderway,
            .requestCardUnderway(card.id, card.state),
            headers: [.location: "/v1/cards/\(card.id)"]
        )
    }

    private struct Answer: Encodable {
        let cardID: CardID
        let state: CardState
        /// Whether the same image was there already.
        let duplicate: Bool
    }

    private static func response(_ outcome: AdmissionOutcome) -> Response {
        var headers: HTTPFields = [.location: "/v1/cards/\(outcome.card)"]
        if outcome.isReplay { headers[.idempotentReplayed] = "true" }
        let isDuplicate = outcome.isDuplicate && !outcome.isReplay
        let answer = Answer(cardID: outcome.card, state: outcome.state, duplicate: isDuplicate)
        return Response(json: answer, status: .accepted, headers: headers)
    }
}

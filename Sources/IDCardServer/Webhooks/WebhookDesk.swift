import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Takes images in from senders that sign: `POST /v1/webhooks/cards`.
struct WebhookDesk: Sendable {
    /// Why nothing is accepted; the same whatever is wrong.
    static let refusal = Problem(.signatureInvalid, endsConnection: true)

    /// How much of every body is not counted against the memory of all.
    private static let freeByteCount = 64 << 10

    let intake: any CardIntake
    let spooling: any SourceSpooling
    let cards: any CardStore
    let limits: SubmissionLimits
    let secrets: WebhookSecrets
    let tolerance: WebhookTolerance
    let metrics: ServerMetrics
    let now: @Sendable () -> Timestamp
    private let budget: MemoryBudget
    private let underWay = NamesUnderWay()

    init(
        _ ports: CardServer.Ports,
        configuration: CardServer.Configuration,
        secrets: WebhookSecrets,
        metrics: ServerMetrics
    ) {
        self.intake = ports.intake
        self.spooling = ports.spooling
        self.cards = ports.cards
        self.limits = configuration.submission
        self.secrets = secrets
        self.tolerance = configuration.webhookTolerance
        self.metrics = metrics
        self.now = ports.now
        self.budget = MemoryBudget(limit: configuration.submission.webhookMemoryBytes)
    }

    /// Answers one message; 202 means that the card is durable. Nothing is parsed, and nothing stored, before the
    /// signature is known to be right.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext) async throws -> Response {
        let verification = WebhookVerification(
            headers: request.headers,
            secrets: self.secrets.current,
            tolerance: self.tolerance,
            now: self.now()
        )
        guard let verification else { throw self.refused() }
        try await self.intake.requireOpen()
        var held = 0
        defer { self.budget.giveBack(held) }
        var reading = verification
        var body = Data()
        let reader = BodyReader(request: request, context: context, limit: self.limits.webhookBytes)
        try await reader.read { piece in
            let bytes = Data(piece.readableBytesView)
            reading.update(bytes)
            body.append(bytes)
            // Small messages always find room, however many large ones there are.
            let excess = max(0, body.count - Self.freeByteCount) - held
            guard self.budget.take(excess) else {
                throw Problem(.busy, retryAfter: .seconds(2), endsConnection: true)
            }
            held += excess
        }
        guard reading.isSigned() else { throw self.refused() }
        let message = body
        body = Data()
        let answer = try await self.underWay.hold([reading.id]) { try await self.take(message, id: reading.id) }
        guard let answer else { throw Problem(.busy, retryAfter: .seconds(1)) }
        return answer
    }

    private func refused() -> Problem {
        self.metrics.refusedWebhooks.increment()
        return Self.refusal
    }

    private func take(_ body: Data, id: String) async throws -> Response {
        let receipt = Receipt(scope: .webhook, name: id, request: ContentDigest(of: body))
        let message = try WebhookMessage.parse(body)
        let metadata = try message.fields.metadata()
        let outcome = try await self.outcome(of: message, metadata: metadata, receipt: receipt)
        return try ReceptionAnswer.response(to: outcome, metadata: metadata, reuse: .webhookReused)
    }

    private func outcome(
        of message: WebhookMessage,
        metadata: CardMetadata,
        receipt: Receipt
    ) async throws -> ReceptionOutcome {
        // A sender's retry: its image need not be decoded again.
        if let known = try await self.cards.outcome(of: receipt) { return known }
        let source = try await self.source(of: message)
        return try await self.intake.receive(Reception(metadata: metadata, source: source, receipt: receipt))
    }

    private func source(of message: WebhookMessage) async throws -> Reception.Source {
        if let url = message.imageURL {
            let address = try Self.address(url)
            // Said now: a card that nobody may fetch would wait, or end, out of the sender's sight.
            if let refusal = self.intake.refusal(of: address) { throw Problem(.addressRefused, refusal.message) }
            return .address(address)
        }
        var image = try ImageSpool(self.spooling, limit: self.limits.imageBytes)
        try await Base64Pieces.decode(message.imageBase64 ?? "") { try await image.append($0) }
        return .bytes(try await image.finish())
    }

    /// What is no address at all.
    private static func address(_ text: String) throws -> ImageAddress {
        guard text.utf8.count <= 4_096, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            scheme == "https" || scheme == "http", components.host?.isEmpty == false, components.user == nil,
            components.password == nil
        else { throw Problem(.addressInvalid) }
        return ImageAddress(text)
    }
}

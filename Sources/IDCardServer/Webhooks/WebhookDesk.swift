import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Takes images in from senders that sign: `POST /v1/webhooks/cards`.
struct WebhookDesk: Sendable {
    /// Why nothing is accepted; the same whatever is wrong.
    static let refusal = {
        var problem = Problem(.signatureInvalid, endsConnection: true)
        // Every 401 has a challenge (RFC 9110 section 15.5.2).
        problem.headers[.wwwAuthenticate] = "Signature realm=\"idcard-pipeline\""
        return problem
    }()

    /// How much of every body is not counted against the memory of all: small messages always find room.
    static let freeByteCount = 64 << 10

    let intake: any CardIntake
    let spooling: any SourceSpooling
    let cards: any CardStore
    let limits: SubmissionLimits
    let secrets: WebhookSecrets
    let tolerance: WebhookTolerance
    let metrics: ServerMetrics
    let now: @Sendable () -> Timestamp
    private let requiresUserNumber: Bool
    private let memory: ByteBudget
    private let spooled: ByteBudget
    /// How often an address may fail to be believed.
    private let failures: RateLimit
    private let underWay = NamesUnderWay()

    init(
        _ ports: CardServer.Ports,
        configuration: CardServer.Configuration,
        secrets: WebhookSecrets,
        spooled: ByteBudget,
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
        self.requiresUserNumber = configuration.requiresUserNumber
        // Nobody has all of it, but everybody enough for the largest message.
        let memory = self.limits.webhookMemoryBytes
        self.memory = ByteBudget(limit: memory, share: max(memory / 2, self.limits.webhookBytes))
        self.spooled = spooled
        self.failures = RateLimit(configuration.failureRate)
    }

    /// Answers one message; 202 means that the card is durable. Nothing is parsed, and nothing stored, before the
    /// signature is known to be right.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext) async throws -> Response {
        let secrets = self.secrets.current
        let verification = WebhookVerification(
            headers: request.headers,
            secrets: secrets,
            tolerance: self.tolerance,
            now: self.now()
        )
        // Without a secret nothing can be believed, and nothing need be read.
        guard !secrets.isEmpty, let verification else { throw self.refused() }
        try await self.intake.requireOpen()
        let claim = self.memory.claim(of: context.remoteNetwork)
        defer { claim.giveBack() }
        let message = try await self.believed(request, context: context, verification: verification, claim: claim)
        let answer = try await self.underWay.hold([verification.id]) {
            try await self.take(message, id: verification.id)
        }
        guard let answer else { throw Problem(.busy, retryAfter: .seconds(1)) }
        return answer
    }

    private func refused() -> Problem {
        self.metrics.refusedWebhooks.increment()
        return Self.refusal
    }

    /// Reads a body and returns it if it is signed. One that is not, also because it never became whole, counts against
    /// the address it came from.
    private func believed(
        _ request: Request,
        context: ServerContext,
        verification: WebhookVerification,
        claim: ByteClaim
    ) async throws -> Data {
        do {
            let (body, isSigned) = try await self.body(of: request, context: context, verification, claim: claim)
            guard isSigned else { throw self.refused() }
            return body
        } catch let problem as Problem where problem.code == .busy || problem.code == .rateLimited {
            throw problem
        } catch {
            _ = self.failures.count(context.remoteNetwork, at: ConnectionGuard.now)
            throw error
        }
    }

    private func body(
        of request: Request,
        context: ServerContext,
        _ verification: WebhookVerification,
        claim: ByteClaim
    ) async throws -> (Data, isSigned: Bool) {
        let reader = BodyReader(request: request, context: context, limit: self.limits.webhookBytes)
        if let declared = reader.declaredLength, declared > Int64(Self.freeByteCount) {
            try self.requireFewFailures(context)
        }
        var reading = verification
        var body = Data()
        var held = 0
        try await reader.read { piece in
            let bytes = Data(piece.readableBytesView)
            reading.update(bytes)
            body.append(bytes)
            let excess = max(0, body.count - Self.freeByteCount) - held
            guard excess > 0 else { return }
            // What is told by the framing alone is noticed here.
            if held == 0 { try self.requireFewFailures(context) }
            guard claim.take(excess) else { throw Problem(.busy, retryAfter: .seconds(2), endsConnection: true) }
            held += excess
        }
        return (body, reading.isSigned())
    }

    /// Of an address of which too many messages were not believed large ones are read one at a time.
    ///
    /// They are not kept out altogether: behind a proxy all senders have one address, and anybody could have the others
    /// refused by a few bytes.
    ///
    /// - Throws: ``Problem``: `rate_limited`.
    private func requireFewFailures(_ context: ServerContext) throws {
        let network = context.remoteNetwork
        let standing = self.failures.standing(of: network, at: ConnectionGuard.now)
        guard let wait = standing.wait, self.memory.usedBytes(of: network) > 0 else { return }
        throw Problem(.rateLimited, retryAfter: wait, endsConnection: true)
    }

    private func take(_ body: Data, id: String) async throws -> Response {
        let receipt = Receipt(scope: .webhook, name: id, request: ContentDigest(of: body))
        let message = try WebhookMessage.parse(body)
        let metadata = try message.fields.metadata(requiringUserNumber: self.requiresUserNumber)
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
        let claim = self.spooled.claim()
        defer { claim.giveBack() }
        let source = try await self.source(of: message, claim: claim)
        return try await self.intake.receive(Reception(metadata: metadata, source: source, receipt: receipt))
    }

    private func source(of message: WebhookMessage, claim: ByteClaim) async throws -> Reception.Source {
        if let url = message.imageURL {
            let address = try Self.address(url)
            // Said now: a card that nobody may fetch would wait, or end, out of the sender's sight.
            if let refusal = self.intake.refusal(of: address) { throw Problem(.addressRefused, refusal.message) }
            return .address(address)
        }
        var image = try ImageSpool(self.spooling, limit: self.limits.imageBytes, claim: claim)
        try await Base64Pieces.decode(message.imageBase64 ?? "") { try await image.append($0) }
        return .bytes(try await image.finish())
    }

    /// What is no address at all.
    private static func address(_ text: String) throws -> ImageAddress {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            scheme == "https" || scheme == "http", components.host?.isEmpty == false, components.user == nil,
            components.password == nil
        else { throw Problem(.addressInvalid) }
        return ImageAddress(text)
    }
}

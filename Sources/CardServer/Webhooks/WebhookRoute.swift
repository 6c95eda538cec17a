import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird

/// `POST /v1/webhooks/cards`: takes images in from senders that sign.
struct WebhookRoute: Sendable {
    let reception: Reception
    let credentials: Credentials
    /// How often an address may fail to be believed.
    let failures: RateLimit
    let metrics: ServerMetrics

    /// Answers one message; 202 means that the card is durable. Nothing is parsed, and nothing stored, before the
    /// signature is known to be right.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext) async throws -> Response {
        let secrets = self.credentials.secrets
        let now = self.reception.ports.now()
        // Without a secret nothing can be believed, and nothing need be read.
        guard !secrets.isEmpty,
            let verification = WebhookVerification(headers: request.headers, secrets: secrets, now: now)
        else { throw self.refused() }
        try await self.reception.requireRoom()
        let claim = ByteClaim(self.reception.budget, name: context.remoteNetwork)
        defer { claim.giveBack() }
        let (body, signer) = try await self.believed(request, context: context, verification, claim: claim)
        context.record.note { $0.caller = signer }
        let answer = try await self.reception.hold(["webhook", signer, verification.id]) {
            try await self.take(body, id: verification.id, signer: signer, claim: claim)
        }
        guard let answer else { throw Problem(.busy, retryAfter: .seconds(1)) }
        return answer
    }

    /// Why nothing is accepted; the same whatever is wrong.
    private func refused() -> Problem {
        self.metrics.add(.refusedWebhooks)
        // Every 401 has a challenge (RFC 9110 section 15.5.2).
        let challenge = "Signature realm=\"idcard-pipeline\""
        return Problem(.signatureInvalid, headers: [.wwwAuthenticate: challenge], endsConnection: true)
    }

    /// Reads a body and returns it with who signed it. One that nobody signed, also because it never became whole,
    /// counts against the address it came from.
    private func believed(
        _ request: Request,
        context: ServerContext,
        _ verification: WebhookVerification,
        claim: ByteClaim
    ) async throws -> (Data, String) {
        var reading = verification
        var body = Data()
        do {
            let limit = self.reception.configuration.imageBytes / 3 * 4 + Limits.formOverheadBytes
            let reader = BodyReader(request: request, context: context, limit: limit)
            if reader.declaredLength ?? 0 > Int64(Limits.freeBodyBytes) { try self.requireFewFailures(context) }
            try await reader.read { piece in
                // Twice: its text is decoded beside it.
                let count = 2 * piece.readableBytes
                // What the framing alone tells is noticed here.
                if claim.begins(with: count) { try self.requireFewFailures(context) }
                try claim.take(count)
                reading.update(piece.readableBytesView)
                body.append(contentsOf: piece.readableBytesView)
            }
            guard let signer = reading.signer() else { throw self.refused() }
            return (body, signer)
        } catch let problem as Problem where problem.code == .busy || problem.code == .rateLimited {
            throw problem
        } catch {
            _ = self.failures.count(context.remoteNetwork, at: ConnectionGuard.now)
            throw error
        }
    }

    /// Large messages of an address of which too many were not believed are read one at a time.
    ///
    /// They are not kept out altogether: behind a proxy all senders have one address, and anybody could have the others
    /// refused by a few bytes.
    ///
    /// - Throws: ``Problem``: `rate_limited`.
    private func requireFewFailures(_ context: ServerContext) throws {
        let network = context.remoteNetwork
        let standing = self.failures.standing(of: network, at: ConnectionGuard.now)
        guard let wait = standing.wait, self.reception.budget.usedBytes(of: network) > 0 else { return }
        throw Problem(.rateLimited, retryAfter: wait, endsConnection: true)
    }

    private func take(_ body: Data, id: String, signer: String, claim: ByteClaim) async throws -> Response {
        let receipt = Receipt(kind: .webhook, name: id, request: ContentDigest(of: body))
        let message = try StrictJSON.decode(
            WebhookMessage.self,
            from: body,
            expected: "It is {\"type\": …, \"timestamp\": …, \"data\": {…}} with texts in data."
        )
        let metadata = try self.reception.metadata(message.fields)
        // A sender's retry: its image need not be decoded again.
        if let known = try await self.reception.answer(before: receipt, from: signer) { return known }
        let content: Admission.Content
        var source: ContentDigest?
        switch message.image {
        case .address(let address): content = .remote(try self.checked(address))
        case .base64(let text):
            var image = self.reception.image(claim)
            try image.take(base64: text.reveal())
            let bytes = try image.finish()
            source = ContentDigest(of: bytes)
            content = .received(bytes)
        }
        return try await self.reception.take(
            content,
            metadata: metadata,
            submitter: signer,
            source: source,
            receipt: receipt
        )
    }

    /// Refuses what is no address, and one that is not fetched from: such a card would fail out of the sender's sight.
    private func checked(_ address: Redacted<String>) throws -> Redacted<String> {
        let text = address.reveal()
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            scheme == "https" || scheme == "http", components.host?.isEmpty == false, components.user == nil,
            components.password == nil
        else { throw Problem(.addressInvalid) }
        if let error = self.reception.ports.addressRefusal(address) {
            throw Problem(.addressRefused, error.message.description)
        }
        return address
    }
}

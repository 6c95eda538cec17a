import CardEngine
import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// `POST /v1/webhooks/cards`: admits images from submitters that sign.
struct WebhookRoute: Sendable {
    let intakeService: IntakeService
    let secrets: WebhookSecrets
    let metrics: ServerMetrics

    /// Answers one message; 202 means that the card is durable. Nothing is parsed or stored before the signature is
    /// checked.
    ///
    /// - Throws: ``Problem``, and the errors that ``Problem/init(cause:)`` translates.
    func receive(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let secrets = self.secrets.current.withLock { $0 }
        let now = self.intakeService.ports.now()
        let verification: WebhookVerification
        do throws(WebhookRefusal) {
            verification = try WebhookVerification(headers: request.headers, secrets: secrets, now: now)
        } catch {
            throw self.refused(error, context)
        }
        try await self.intakeService.requireRoom()
        let (body, signer) = try await self.authenticatedBody(request, context: context, verification)
        context.record.update { $0.caller = signer }
        // The memory for the body, its text, and the image in it.
        let count = 2 * body.count + body.count / 4 * 3
        let answer = try await self.intakeService.budget.lend(count, to: "secret \(signer)") { _ in
            try await self.intakeService.withoutOverlap(named: ["webhook", signer, verification.id]) {
                try await self.admit(body, id: verification.id, signer: signer)
            }
        }
        guard let answer else { throw Problem(.busy, retryAfter: .seconds(1)) }
        return answer
    }

    /// The answer to a refused message: always the same; only the log gives the reason.
    private func refused(_ refusal: WebhookRefusal, _ context: ServerContext) -> Problem {
        self.metrics.add(.refusedWebhooks)
        context.record.update { $0.webhookRefusal = refusal.reason }
        // Every 401 has a challenge (RFC 9110 section 15.5.2).
        let challenge = "Signature realm=\"idcard-pipeline\""
        return Problem(.signatureInvalid, headers: [.wwwAuthenticate: challenge], endsConnection: true)
    }

    /// Reads a body within the memory and time for unchecked signatures; returns it with the name of its secret.
    private func authenticatedBody(
        _ request: Request,
        context: ServerContext,
        _ verification: WebhookVerification
    ) async throws -> ([UInt8], String) {
        var reading = verification
        var body: [UInt8] = []
        let reader = BodyReader(request: request, context: context, limit: self.intakeService.webhookBytes)
        let longest = min(reader.declaredLength.map(Int.init(clamping:)) ?? reader.limit, reader.limit)
        let time = self.intakeService.configuration.connections.unsignedTime(of: longest)
        context.channel.triggerUserOutboundEvent(ConnectionSignal.limitsBody(time), promise: nil)
        self.intakeService.unsigned.begin(context.channel)
        defer { self.intakeService.unsigned.remove(context.channel) }
        try await reader.read { piece in
            try self.intakeService.unsigned.grow(context.channel, to: body.count + piece.readableBytes)
            reading.update(piece.readableBytesView)
            body.append(contentsOf: piece.readableBytesView)
        }
        guard let signer = reading.signer() else { throw self.refused(.signature, context) }
        context.channel.triggerUserOutboundEvent(ConnectionSignal.authenticated(as: signer), promise: nil)
        return (body, signer)
    }

    private func admit(_ body: [UInt8], id: String, signer: String) async throws -> Response {
        guard let message = try WebhookMessage(body) else {
            self.metrics.add(.ignoredWebhooks)
            return Response(status: .noContent)
        }
        let metadata = try self.intakeService.metadata(message.fields)
        let photo: Photo
        switch message.image {
        case .address(let address): photo = Photo(.address(try self.checked(address)), metadata: metadata)
        case .base64(let text):
            var image = ImageBytes(limit: self.intakeService.configuration.imageBytes)
            try image.decode(base64: text.reveal())
            photo = Photo(try image.finish(), metadata)
        }
        let outcomes = try await self.intakeService.admit(
            [photo],
            from: Caller(subject: signer, scopes: []),
            receipt: (.webhook, id)
        )
        return IntakeService.response(outcomes)
    }

    /// Refuses an invalid address, or one that is not fetched from: the submitter would not see that the card fails later.
    private func checked(_ address: Redacted<String>) throws -> Redacted<String> {
        let text = address.reveal()
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
            scheme == "https" || scheme == "http", components.host?.isEmpty == false, components.user == nil,
            components.password == nil
        else { throw Problem(.addressInvalid) }
        if let error = self.intakeService.ports.addressRefusal(address) {
            throw Problem(.addressRefused, error.message)
        }
        return address
    }
}

/// A message with the photo of a card: `{"type": "card.created", "timestamp": …, "data": {…}}`.
struct WebhookMessage {
    /// The image itself, or its address.
    enum Image {
        case address(Redacted<String>)
        case base64(Redacted<String>)
    }

    /// The only type with a card.
    private static let type = "card.created"
    private static let imageNames: Set = ["image_url", "image_base64"]

    /// The fields of `data`.
    let fields: FieldTexts
    let image: Image

    /// Returns `nil` for a message of another type without an image: it reports an event that is of no use here.
    ///
    /// - Throws: ``Problem``: `webhook_type_unknown`, `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    init?(_ body: [UInt8]) throws {
        guard let message = JSONValue(parsing: body), message.isObject else {
            throw Problem(.jsonInvalid, .requestWebhook)
        }
        let data = message.members.filter { $0.name == "data" }.flatMap(\.value.members).filter { $0.value != .null }
        guard message["type"] == .string(Self.type) else {
            let hasImage = data.contains { Self.imageNames.contains($0.name) }
            guard case .string(let type) = message["type"], !type.trimmed.isEmpty, !hasImage else {
                throw Problem(.webhookTypeUnknown, .requestWebhook)
            }
            return nil
        }
        try StrictJSON.requireSingleNames(in: message)
        guard message["data"]?.isObject == true else { throw Problem(.jsonInvalid, .requestWebhook) }
        var fields = FieldTexts()
        var images: [Image] = []
        for member in data {
            switch (member.name, SubmittedField(rawValue: member.name), member.value) {
            case ("image_url", _, .string(let text)): images.append(.address(Redacted(text)))
            case ("image_base64", _, .string(let text)): images.append(.base64(Redacted(text)))
            case (_, let field?, .string(let text)): try fields.set(field, to: text)
            case (_, .priority, .number(let digits)): try fields.set(.priority, to: digits)
            case (let name, let field, _):
                guard field != nil || Self.imageNames.contains(name) else {
                    throw FieldTexts.unknown(name, known: "image_url, image_base64, \(SubmittedField.known)")
                }
                throw Problem(.jsonInvalid, .requestDataNotString(name))
            }
        }
        guard images.count == 1 else { throw Problem(.imageMissing, .requestDataImage) }
        self.fields = fields
        self.image = images[0]
    }
}

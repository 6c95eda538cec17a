import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Takes images in: `POST /v1/cards`.
struct SubmissionDesk: Sendable {
    /// The types of a raw body; what it really is, its first bytes say.
    static let rawTypes: Set<String> = ["image/jpeg", "image/png", "application/octet-stream"]

    let intake: any CardIntake
    let spooling: any SourceSpooling
    let limits: SubmissionLimits
    /// How much of all images under way may lie in spools.
    let spooled: ByteBudget
    /// Whether a card without a user account is refused.
    let requiresUserNumber: Bool
    private let underWay = NamesUnderWay()

    init(_ ports: CardServer.Ports, configuration: CardServer.Configuration, spooled: ByteBudget) {
        self.intake = ports.intake
        self.spooling = ports.spooling
        self.limits = configuration.submission
        self.spooled = spooled
        self.requiresUserNumber = configuration.requiresUserNumber
    }

    /// Answers one submission; 202 means that the image is durable.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext, caller: String) async throws -> Response {
        let key = try IdempotencyKey.of(request.headers)
        // All that can be refused without the body is refused before it is read.
        try await self.intake.requireOpen()
        guard let key else { return try await self.take(request, context: context, receipt: nil) }
        let answer = try await self.underWay.hold([caller, key]) {
            try await self.take(request, context: context, receipt: (caller, key))
        }
        guard let answer else { throw Problem(.keyInProgress, retryAfter: .seconds(1)) }
        return answer
    }

    private func take(
        _ request: Request,
        context: ServerContext,
        receipt name: (caller: String, key: String)?
    ) async throws -> Response {
        let claim = self.spooled.claim()
        defer { claim.giveBack() }
        let (metadata, image) = try await self.submission(request, context: context, claim: claim)
        let receipt = name.map { name in
            Receipt(
                scope: .idempotencyKey(caller: name.caller),
                name: name.key,
                request: RequestDigest.of(metadata, image: image.digest)
            )
        }
        let reception = Reception(metadata: metadata, source: .bytes(image), receipt: receipt)
        let outcome = try await self.intake.receive(reception)
        return try ReceptionAnswer.response(to: outcome, metadata: metadata, reuse: .keyReused)
    }

    private func submission(
        _ request: Request,
        context: ServerContext,
        claim: ByteClaim
    ) async throws -> (CardMetadata, any SpooledSource) {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        if type == "multipart/form-data" { return try await self.form(request, context: context, claim: claim) }
        guard Self.rawTypes.contains(type) else {
            let types = Self.rawTypes.sorted().joined(separator: ", ")
            throw Problem(.mediaTypeUnsupported, "Taken are multipart/form-data, \(types).")
        }
        let fields = try SubmissionFields(headers: request.headers)
        let metadata = try fields.metadata(requiringUserNumber: self.requiresUserNumber)
        var image = try ImageSpool(self.spooling, limit: self.limits.imageBytes, claim: claim)
        let body = BodyReader(request: request, context: context, limit: self.limits.imageBytes)
        try await body.read { try await image.append($0.readableBytesView) }
        return (metadata, try await image.finish())
    }

    private func form(
        _ request: Request,
        context: ServerContext,
        claim: ByteClaim
    ) async throws -> (CardMetadata, any SpooledSource) {
        // What the form does not say, the header fields may; heard they are in any case.
        let headers = try SubmissionFields(headers: request.headers)
        try headers.check()
        var form = try FormSubmission(
            headers: request.headers,
            limits: self.limits,
            spooling: self.spooling,
            claim: claim
        )
        let body = BodyReader(
            request: request,
            context: context,
            limit: self.limits.imageBytes + self.limits.formOverheadBytes
        )
        try await body.read { try await form.append(Data($0.readableBytesView)) }
        var (fields, image) = try await form.finish()
        fields.fill(from: headers)
        return (try fields.metadata(requiringUserNumber: self.requiresUserNumber), image)
    }
}

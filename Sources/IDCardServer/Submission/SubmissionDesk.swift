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
    private let underWay = NamesUnderWay()

    init(intake: any CardIntake, spooling: any SourceSpooling, limits: SubmissionLimits) {
        self.intake = intake
        self.spooling = spooling
        self.limits = limits
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
        let (metadata, image) = try await self.submission(request, context: context)
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
        context: ServerContext
    ) async throws -> (CardMetadata, any SpooledSource) {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        if type == "multipart/form-data" { return try await self.form(request, context: context) }
        guard Self.rawTypes.contains(type) else {
            let types = Self.rawTypes.sorted().joined(separator: ", ")
            throw Problem(.mediaTypeUnsupported, "Taken are multipart/form-data, \(types).")
        }
        let metadata = try SubmissionFields(headers: request.headers).metadata()
        var image = try ImageSpool(self.spooling, limit: self.limits.imageBytes)
        let body = BodyReader(request: request, context: context, limit: self.limits.imageBytes)
        try await body.read { try await image.append($0.readableBytesView) }
        return (metadata, try await image.finish())
    }

    private func form(_ request: Request, context: ServerContext) async throws -> (CardMetadata, any SpooledSource) {
        var form = try FormSubmission(headers: request.headers, limits: self.limits, spooling: self.spooling)
        let body = BodyReader(
            request: request,
            context: context,
            limit: self.limits.imageBytes + self.limits.formOverheadBytes
        )
        try await body.read { try await form.append(Data($0.readableBytesView)) }
        let (fields, image) = try await form.finish()
        return (try fields.metadata(), image)
    }
}

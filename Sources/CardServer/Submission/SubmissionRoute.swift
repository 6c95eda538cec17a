import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird

/// `POST /v1/cards`: takes an image in, as a form or bare.
struct SubmissionRoute: Sendable {
    /// The types of a bare body beside all of `image/`; what it really is, its first bytes say.
    static let rawTypes: Set<String> = ["application/octet-stream", "binary/octet-stream"]

    let reception: Reception

    /// Answers one submission; 202 means that the image is durable.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let key = try IdempotencyKey.of(request.headers)
        // All that can be refused without the body is refused before it is read.
        try await self.reception.requireRoom()
        let take = { try await self.take(request, context: context, caller: caller.subject, key: key) }
        guard let key else { return try await take() }
        guard let answer = try await self.reception.hold([caller.subject, key], take) else {
            throw Problem(.keyInProgress, retryAfter: .seconds(1))
        }
        return answer
    }

    private func take(_ request: Request, context: ServerContext, caller: String, key: String?) async throws -> Response
    {
        let claim = ByteClaim(self.reception.budget, name: "token \(caller)")
        defer { claim.giveBack() }
        let (metadata, image) = try await self.submission(request, context: context, claim: claim)
        let source = ContentDigest(of: image)
        let receipt = key.map {
            Receipt(kind: .idempotencyKey, name: $0, request: ContentDigest(of: metadata, image: source))
        }
        return try await self.reception.take(
            .received(image),
            metadata: metadata,
            submitter: caller,
            source: source,
            receipt: receipt
        )
    }

    private func submission(
        _ request: Request,
        context: ServerContext,
        claim: ByteClaim
    ) async throws -> (CardMetadata, Data) {
        let type = request.headers[.contentType] ?? ""
        let isForm = type.mediaType == "multipart/form-data"
        guard isForm || type.mediaType.hasPrefix("image/") || Self.rawTypes.contains(type.mediaType) else {
            throw Problem(.mediaTypeUnsupported, .requestMediaTypes(Self.rawTypes.sorted()))
        }
        let headers = try FieldTexts(headers: request.headers)
        var image = ImageBytes(limit: self.reception.configuration.imageBytes, claim: claim)
        var body = BodyReader(request: request, context: context, limit: image.limit)
        guard isForm else {
            let metadata = try self.reception.metadata(headers)
            try await body.read { try image.append($0.readableBytesView) }
            return (metadata, try image.finish())
        }
        // What the form does not say, the header fields may; what they say wrongly is refused in any case.
        _ = try headers.fields()
        var form = try FormReader(contentType: type, image: image)
        body.limit += Limits.formOverheadBytes
        try await body.read { try form.append(Data($0.readableBytesView)) }
        let content = try form.finish()
        return (try self.reception.metadata(form.fields.filled(from: headers)), content)
    }
}

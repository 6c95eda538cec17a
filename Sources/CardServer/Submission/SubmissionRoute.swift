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
    private let underWay = NamesUnderWay()

    init(_ reception: Reception) {
        self.reception = reception
    }

    /// Answers one submission; 202 means that the image is durable.
    ///
    /// - Throws: ``Problem``, and what ``Problem/init(cause:)`` knows.
    func receive(_ request: Request, context: ServerContext, caller: AccessToken) async throws -> Response {
        let key = try IdempotencyKey.of(request.headers)
        // All that can be refused without the body is refused before it is read.
        try await self.reception.requireRoom()
        guard let key else { return try await self.take(request, context: context, caller: caller.name, key: nil) }
        let answer = try await self.underWay.hold([caller.name, key]) {
            try await self.take(request, context: context, caller: caller.name, key: key)
        }
        guard let answer else { throw Problem(.keyInProgress, retryAfter: .seconds(1)) }
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
        let type = request.headers[.contentType]?.mediaType ?? ""
        if type == "multipart/form-data" { return try await self.form(request, context: context, claim: claim) }
        guard type.hasPrefix("image/") || Self.rawTypes.contains(type) else {
            let types = Self.rawTypes.sorted().joined(separator: ", ")
            throw Problem(.mediaTypeUnsupported, "Taken are multipart/form-data, image/jpeg, image/png, \(types).")
        }
        let fields = try FieldTexts(headers: request.headers)
        let metadata = try fields.metadata(requiringUserNumber: self.reception.configuration.requiresUserNumber)
        var image = self.reception.image(claim)
        let body = BodyReader(request: request, context: context, limit: self.reception.configuration.imageBytes)
        try await body.read { try image.append($0.readableBytesView) }
        return (metadata, try image.finish())
    }

    private func form(
        _ request: Request,
        context: ServerContext,
        claim: ByteClaim
    ) async throws -> (CardMetadata, Data) {
        // What the form does not say, the header fields may; what they say wrongly is refused in any case.
        let headers = try FieldTexts(headers: request.headers)
        _ = try headers.fields()
        var form = try FormReader(
            contentType: request.headers[.contentType] ?? "",
            image: self.reception.image(claim)
        )
        let body = BodyReader(
            request: request,
            context: context,
            limit: self.reception.configuration.imageBytes + Limits.formOverheadBytes
        )
        try await body.read { try form.append(Data($0.readableBytesView)) }
        let image = try form.finish()
        var fields = form.fields
        fields.fill(from: headers)
        return (try fields.metadata(requiringUserNumber: self.reception.configuration.requiresUserNumber), image)
    }
}

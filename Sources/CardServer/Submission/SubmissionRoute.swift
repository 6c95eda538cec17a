import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird

/// `POST /v1/cards`: admits a photo, in a form or as a raw body, or both photos of a card in one form.
struct SubmissionRoute: Sendable {
    /// The types of a raw body beside all of `image/`; its first bytes show the real type.
    static let rawTypes: Set<String> = ["application/octet-stream", "binary/octet-stream"]

    let intakeService: IntakeService

    /// Answers one submission; 202 means that all of its images are durable.
    ///
    /// - Throws: ``Problem``, and the errors that ``Problem/init(cause:)`` translates.
    func receive(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        IntakeService.response(try await self.outcomes(of: request, context: context, caller: caller))
    }

    /// - Parameter isByHand: whether a person fills in the form and may leave parts of it empty.
    func outcomes(of request: Request, context: ServerContext, caller: Caller, isByHand: Bool = false) async throws
        -> [Admitted]
    {
        let key = try IdempotencyKey.of(request.headers)
        // Before the body is read, refuse all that can be refused without it.
        try await self.intakeService.requireRoom()
        let admit = { try await self.admit(request, context, caller, key: key, isByHand: isByHand) }
        guard let key else { return try await admit() }
        guard let answer = try await self.intakeService.withoutOverlap(named: [caller.subject, key], admit) else {
            throw Problem(.keyInProgress, retryAfter: .seconds(1))
        }
        return answer
    }

    private func admit(
        _ request: Request,
        _ context: ServerContext,
        _ caller: Caller,
        key: String?,
        isByHand: Bool
    ) async throws -> [Admitted] {
        let type = request.headers[.contentType] ?? ""
        let isForm = type.mediaType == "multipart/form-data"
        guard isForm || type.mediaType.hasPrefix("image/") || Self.rawTypes.contains(type.mediaType) else {
            throw Problem(.mediaTypeUnsupported, .requestMediaTypes(Self.rawTypes.sorted()))
        }
        let headers = try FieldTexts(headers: request.headers)
        let imageLimit = self.intakeService.configuration.imageBytes
        let limit = isForm ? FormReader.maximumBytes(imageLimit: imageLimit) : imageLimit
        var body = BodyReader(request: request, context: context, limit: limit)
        let count = try body.byteCount().map { min($0, Limits.lentBodyBytes) }
        return try await self.intakeService.budget.lend(count, to: "token \(caller.subject)") { loan in
            body.loan = loan
            let photos = try await isForm ? self.form(body, type, headers, isByHand) : self.image(body, headers)
            return try await self.intakeService.admit(photos, from: caller, receipt: key.map { (.idempotencyKey, $0) })
        }
    }

    private func image(_ body: BodyReader, _ headers: FieldTexts) async throws -> [Photo] {
        let metadata = try self.intakeService.metadata(headers)
        var image = ImageBytes(limit: body.limit)
        try await body.read { try image.append($0.readableBytesView) }
        return [Photo(try image.finish(), metadata)]
    }

    private func form(_ body: BodyReader, _ type: String, _ headers: FieldTexts, _ isByHand: Bool) async throws
        -> [Photo]
    {
        // Header fields fill in what the form lacks; an invalid one is refused in any case.
        _ = try headers.fields()
        var form = try FormReader(contentType: type, imageLimit: self.intakeService.configuration.imageBytes)
        form.isByHand = isByHand
        try await body.read { try form.append(Data($0.readableBytesView)) }
        let images = try form.finish()
        let metadata = try self.intakeService.metadata(form.fields.filled(from: headers))
        guard images.count < 2 || images[0].image != images[1].image else {
            throw Problem(.fieldInvalid, .requestSamePhoto)
        }
        return try images.map { side, image in
            var photo = Photo(image, metadata)
            guard let side else { return photo }
            guard metadata.side == nil else { throw Problem(.fieldInvalid, .requestSideAndSides) }
            (photo.metadata.side, photo.part) = (side, side)
            return photo
        }
    }
}

/// Reads `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a Structured Field String (RFC 9651 section
/// 3.3.3). Bare keys, which many clients send, are accepted, too.
enum IdempotencyKey {
    /// Returns the key of a request; `nil` if it has none.
    ///
    /// - Throws: ``Problem``: `idempotency_key_malformed`.
    static func of(_ headers: HTTPFields) throws -> String? {
        let values = headers[values: .idempotencyKey]
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = self.parse(value) else { throw Problem(.keyMalformed) }
        return key
    }

    /// Parses the value of a field; `nil` if it is not a key.
    static func parse(_ value: String) -> String? {
        let key: String
        if let quoted = value.wholeMatch(of: /"((?:[ !#-\[\]-~]|\\["\\])*)"/) {
            key = String(quoted.1.replacing(/\\(.)/) { $0.1 })
        } else if value.wholeMatch(of: /[!#-+\--:<-\[\]-~]*/) != nil {
            // With a comma it would be two keys; with a quote, an incomplete string.
            key = value
        } else {
            return nil
        }
        return 1...Limits.keyCharacters ~= key.utf8.count ? key : nil
    }
}

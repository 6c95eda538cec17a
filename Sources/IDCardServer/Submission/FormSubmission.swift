import Foundation
import HTTPTypes
import IDCardMultipartForm
import IDCardPipeline

/// Reads a `multipart/form-data` body: the part `image`, and the fields as text parts, in any order, each once.
struct FormSubmission {
    /// The name of the part that is the image.
    static let imageName = "image"

    private enum Part {
        case none
        case image
        case text(SubmissionField, Data)
    }

    private let limits: SubmissionLimits
    private var parser: MultipartParser
    private var part = Part.none
    private var fields = SubmissionFields()
    private var image: ImageSpool?
    private var isComplete = false
    private let spooling: any SourceSpooling
    private let claim: ByteClaim

    /// - Throws: ``Problem``: `form_malformed` for a content type without a boundary.
    init(headers: HTTPFields, limits: SubmissionLimits, spooling: any SourceSpooling, claim: ByteClaim) throws {
        var formLimits = MultipartParser.Limits()
        formLimits.partCount = limits.formParts
        formLimits.partHeaderBytes = limits.partHeaderBytes
        // The image has a limit, and a code, of its own.
        formLimits.partBytes = UInt64(limits.imageBytes + limits.formOverheadBytes)
        formLimits.totalBytes = UInt64(limits.imageBytes + limits.formOverheadBytes)
        // The length is held against what comes by the reader of the body.
        self.parser = try MultipartParser(contentType: headers[.contentType] ?? "", limits: formLimits)
        self.limits = limits
        self.spooling = spooling
        self.claim = claim
    }

    /// Takes the next bytes.
    ///
    /// - Throws: ``Problem``, `MultipartFormError`, `StoreError`.
    mutating func append(_ bytes: Data) async throws {
        self.parser.append(bytes)
        try await self.drain()
    }

    /// Ends the body.
    ///
    /// - Returns: the fields and the image.
    /// - Throws: ``Problem``, `MultipartFormError`, `StoreError`.
    mutating func finish() async throws -> (fields: SubmissionFields, image: any SpooledSource) {
        self.parser.finish()
        try await self.drain()
        guard self.isComplete else { throw BodyTruncation() }
        guard var image = self.image else { throw Problem(.imageMissing) }
        return (self.fields, try await image.finish())
    }

    private mutating func drain() async throws {
        while let event = try self.parser.next() {
            switch event {
            case .partBegan(let head): try self.begin(head)
            case .data(let bytes): try await self.take(bytes)
            case .partEnded: try self.end()
            case .formEnded: self.isComplete = true
            }
        }
    }

    private mutating func begin(_ head: PartHead) throws {
        if head.name == Self.imageName {
            guard self.image == nil else { throw Problem(.fieldDuplicate, "There is one part 'image'.") }
            self.image = try ImageSpool(self.spooling, limit: self.limits.imageBytes, claim: self.claim)
            self.part = .image
            return
        }
        guard let field = SubmissionField(rawValue: head.name) else {
            throw Problem(.fieldUnknown, "Known are \(Self.imageName), \(SubmissionField.list).")
        }
        guard head.filename == nil else {
            throw Problem(.fieldInvalid, "\(field.rawValue) is sent as text, not as a file.")
        }
        self.part = .text(field, Data())
    }

    private mutating func take(_ bytes: Data) async throws {
        switch self.part {
        case .none: return
        case .image: try await self.image?.append(bytes)
        case .text(let field, var text):
            text.append(bytes)
            guard text.count <= self.limits.textBytes else {
                throw Problem(.fieldInvalid, "\(field.rawValue) has at most \(self.limits.textBytes) bytes.")
            }
            self.part = .text(field, text)
        }
    }

    private mutating func end() throws {
        if case .text(let field, let bytes) = self.part {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(.fieldInvalid, "\(field.rawValue) is not UTF-8.")
            }
            try self.fields.set(field, to: text)
        }
        self.part = .none
    }
}

import CardModel
import Foundation
import MultipartForm

/// Reads a `multipart/form-data` body: the part `image`, and the fields as text parts, in any order, each once.
///
/// File name and type of the image's part are not used: its bytes tell what it is.
struct FormReader {
    /// The name of the part that is the image.
    static let imageName = "image"

    private enum Part {
        case image
        case text(SubmittedField, Data)
    }

    private var parser: MultipartParser
    private var part: Part?
    private var isComplete = false
    private var hasImage = false
    private var image: ImageBytes
    private(set) var fields = FieldTexts()

    /// Starts before the first byte.
    ///
    /// - Throws: `MultipartFormError` for a content type without a boundary.
    init(contentType: String, image: ImageBytes) throws(MultipartFormError) {
        var limits = MultipartParser.Limits()
        limits.partCount = Limits.formParts
        limits.partHeaderBytes = Limits.partHeaderBytes
        // The image has a limit, and a code, of its own.
        limits.partBytes = UInt64(image.limit + Limits.formOverheadBytes)
        limits.totalBytes = limits.partBytes
        self.parser = try MultipartParser(contentType: contentType, limits: limits)
        self.image = image
    }

    /// - Throws: ``Problem``, `MultipartFormError`.
    mutating func append(_ bytes: Data) throws {
        self.parser.append(bytes)
        try self.drain()
    }

    /// Ends the body and returns the image.
    ///
    /// - Throws: ``Problem``, `MultipartFormError`.
    mutating func finish() throws -> Data {
        self.parser.finish()
        try self.drain()
        guard self.isComplete else { throw Problem.bodyTruncated }
        guard self.hasImage else { throw Problem(.imageMissing) }
        return try self.image.finish()
    }

    private mutating func drain() throws {
        while let event = try self.parser.next() {
            switch event {
            case .partBegan(let head): try self.begin(head)
            case .data(let bytes): try self.take(bytes)
            case .partEnded: try self.end()
            case .formEnded: self.isComplete = true
            }
        }
    }

    private mutating func begin(_ head: PartHead) throws {
        if head.name == Self.imageName {
            guard !self.hasImage else { throw Problem(.fieldDuplicate, .requestGivenTwice(Self.imageName)) }
            self.hasImage = true
            self.part = .image
            return
        }
        guard let field = SubmittedField(rawValue: head.name) else {
            throw FieldTexts.unknown(head.name, known: "\(Self.imageName), \(FieldTexts.names)")
        }
        guard head.filename == nil else {
            throw Problem(.fieldInvalid, .requestFieldIsFile(field))
        }
        self.part = .text(field, Data())
    }

    private mutating func take(_ bytes: Data) throws {
        switch self.part {
        case nil: return
        case .image: try self.image.append(bytes)
        case .text(let field, var text):
            text.append(bytes)
            guard text.count <= Limits.textBytes else {
                throw Problem(.fieldInvalid, .requestFieldTooLong(field, limit: Limits.textBytes))
            }
            self.part = .text(field, text)
        }
    }

    private mutating func end() throws {
        if case .text(let field, let bytes) = self.part {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(.fieldInvalid, .requestFieldNotUTF8(field))
            }
            try self.fields.set(field, to: text)
        }
        self.part = nil
    }
}

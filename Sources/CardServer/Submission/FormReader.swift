import CardModel
import Foundation
import MultipartForm

/// Reads a `multipart/form-data` body: the part `image`, or one or both of `front` and `back`, and the fields as text parts, in
/// any order, each once.
///
/// File names and types of the parts with images are ignored: the bytes show the type.
struct FormReader {
    /// The name of the part of a single image, whose side is in the field `side`.
    private static let imageName = "image"
    private static let imageNames = [imageName] + CardSide.allCases.map(\.rawValue)

    private enum Part {
        case image(String, ImageBytes)
        case text(SubmittedField, Data)
    }

    private var parser: MultipartParser
    private var part: Part?
    private var isComplete = false
    private let imageLimit: Int
    private var images: [String: Data] = [:]
    private(set) var fields = FieldTexts()
    /// Whether a person fills in the form: an empty file or text field then counts as missing.
    var isByHand = false

    /// Begins a form whose images each have at most `imageLimit` bytes.
    ///
    /// - Throws: `MultipartFormError` for a content type without a boundary.
    init(contentType: String, imageLimit: Int) throws(MultipartFormError) {
        var limits = MultipartParser.Limits()
        limits.partCount = Limits.formParts
        limits.partHeaderBytes = Limits.partHeaderBytes
        // The image has its own limit and its own code.
        limits.partBytes = UInt64(imageLimit + Limits.formOverheadBytes)
        limits.totalBytes = UInt64(Self.maximumBytes(imageLimit: imageLimit))
        self.parser = try MultipartParser(contentType: contentType, limits: limits)
        self.imageLimit = imageLimit
    }

    /// The most bytes of a form: it has two images at most.
    static func maximumBytes(imageLimit: Int) -> Int { 2 * imageLimit + Limits.formOverheadBytes }

    /// - Throws: ``Problem``, `MultipartFormError`.
    mutating func append(_ bytes: Data) throws {
        self.parser.append(bytes)
        try self.drain()
    }

    /// Ends the body and returns its images, the front first, with the sides that their parts name.
    ///
    /// - Throws: ``Problem``, `MultipartFormError`.
    mutating func finish() throws -> [(side: CardSide?, image: Data)] {
        self.parser.finish()
        try self.drain()
        guard self.isComplete else { throw Problem.bodyTruncated }
        guard !self.images.isEmpty else { throw Problem(.imageMissing, self.isByHand ? .pageNoPhoto : nil) }
        guard let image = self.images[Self.imageName] else {
            return CardSide.allCases.compactMap { side in self.images[side.rawValue].map { (side, $0) } }
        }
        guard self.images.count == 1 else { throw Problem(.fieldInvalid, .requestImageAndSides) }
        return [(nil, image)]
    }

    private mutating func drain() throws {
        while let event = try self.parser.next() {
            switch event {
            case .partBegan(let head): try self.beginPart(head)
            case .data(let bytes): try self.appendToPart(bytes)
            case .partEnded: try self.finishPart()
            case .formEnded: self.isComplete = true
            }
        }
    }

    private mutating func beginPart(_ head: PartHead) throws {
        if Self.imageNames.contains(head.name) {
            // A browser sends an empty file name if no file was chosen.
            if self.isByHand, head.filename?.isEmpty ?? true { return }
            guard self.images[head.name] == nil else { throw Problem(.fieldDuplicate, .requestGivenTwice(head.name)) }
            self.part = .image(head.name, ImageBytes(limit: self.imageLimit))
            return
        }
        guard let field = SubmittedField(rawValue: head.name) else {
            let names = (Self.imageNames + [SubmittedField.known]).joined(separator: ", ")
            throw FieldTexts.unknown(head.name, known: names)
        }
        guard head.filename == nil else { throw Problem(.fieldInvalid, .requestFieldIsFile(field)) }
        self.part = .text(field, Data())
    }

    private mutating func appendToPart(_ bytes: Data) throws {
        switch self.part {
        case nil: return
        case .image(let name, var image):
            // With a second reference, each piece would copy the whole image.
            self.part = nil
            try image.append(bytes)
            self.part = .image(name, image)
        case .text(let field, var text):
            text.append(bytes)
            guard text.count <= Limits.textBytes else {
                throw Problem(.fieldInvalid, .requestFieldTooLong(field, limit: Limits.textBytes))
            }
            self.part = .text(field, text)
        }
    }

    private mutating func finishPart() throws {
        switch self.part {
        case nil: break
        case .text(_, let bytes) where self.isByHand && bytes.isEmpty: break
        case .image(let name, let image): self.images[name] = try image.finish()
        case .text(let field, let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Problem(.fieldInvalid, .requestFieldNotUTF8(field))
            }
            try self.fields.set(field, to: text)
        }
        self.part = nil
    }
}

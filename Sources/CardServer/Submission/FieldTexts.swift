import CardModel
import HTTPTypes

/// The texts of the fields that were said about an image, each at most once.
struct FieldTexts: Sendable {
    private var texts = Redacted<[SubmittedField: String]>([:])

    /// All names, as a message lists them.
    static let names = SubmittedField.allCases.map(\.rawValue).joined(separator: ", ")

    /// Says nothing.
    init() {}

    /// Takes a field's text; blank texts count as not given.
    ///
    /// - Throws: ``Problem``: `field_duplicate`.
    mutating func set(_ field: SubmittedField, to text: String) throws {
        var texts = self.texts.reveal()
        guard texts.updateValue(text, forKey: field) == nil else {
            throw Problem(.fieldDuplicate, "\(field.rawValue) is given more than once.")
        }
        self.texts = Redacted(texts)
    }

    /// Takes what others say about fields of which nothing is said here.
    mutating func fill(from others: FieldTexts) {
        self.texts = Redacted(self.texts.reveal().merging(others.texts.reveal()) { own, _ in own })
    }

    /// Checks each field for itself, whatever else may be missing.
    ///
    /// - Throws: `business_no_invalid`, `field_invalid`.
    func fields() throws(CodedError) -> SubmittedFields { try SubmittedFields(self.texts.reveal()) }

    /// What the fields say, checked.
    ///
    /// - Parameter requiringUserNumber: whether a user account has to be among them.
    /// - Throws: ``Problem``: `business_no_missing`, `user_no_missing`; `CodedError`: `business_no_invalid`,
    ///   `field_invalid`.
    func metadata(requiringUserNumber: Bool) throws -> CardMetadata {
        let fields = try self.fields()
        guard let businessNumber = fields.businessNumber else { throw Problem(.businessNumberMissing) }
        guard !requiringUserNumber || fields.userNumber != nil else { throw Problem(.userNumberMissing) }
        return CardMetadata(fields, businessNumber: businessNumber)
    }
}

// MARK: Header fields

extension SubmittedField {
    /// The header field that carries it with a raw body, such as `Card-Business-No`.
    var headerName: HTTPField.Name {
        let parts = self.rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return .known("Card-" + parts.joined(separator: "-"))
    }
}

extension FieldTexts {
    /// Reads what the header fields say.
    ///
    /// - Throws: ``Problem``: `field_unknown`, `field_duplicate` or `field_invalid`.
    init(headers: HTTPFields) throws {
        let known = Set(SubmittedField.allCases.map(\.headerName))
        for header in headers where header.name.canonicalName.hasPrefix("card-") && !known.contains(header.name) {
            let names = SubmittedField.allCases.map(\.headerName.rawName).joined(separator: ", ")
            throw Problem(.fieldUnknown, "Known are \(names).")
        }
        for field in SubmittedField.allCases {
            for value in headers[values: field.headerName] {
                guard let text = HeaderText.decode(value) else {
                    throw Problem(
                        .fieldInvalid,
                        "\(field.headerName.rawName) is UTF-8 with percent-encoding of all that is not printable ASCII."
                    )
                }
                try self.set(field, to: text)
            }
        }
    }
}

/// Texts in header fields: UTF-8 with percent-encoding (RFC 3986 section 2.1) of everything that is not printable
/// ASCII, and of the percent sign.
///
/// The form of RFC 8187, `UTF-8''%E6…`, is taken, too. A plus is a plus.
enum HeaderText {
    /// Decodes a field's value; `nil` if it is not so encoded.
    static func decode(_ value: String) -> String? {
        var rest = Array(value.utf8)[...]
        if value.lowercased().hasPrefix("utf-8''") { rest = rest.dropFirst(7) }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte != UInt8(ascii: "%") else {
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let decoded = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(decoded)
                rest = rest.dropFirst(2)
                continue
            }
            guard 0x20...0x7E ~= byte else { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

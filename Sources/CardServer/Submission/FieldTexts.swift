import CardModel
import Foundation
import HTTPTypes

/// The texts of the fields of an image, each at most once.
struct FieldTexts: Sendable {
    private var texts = Redacted<[SubmittedField: String]>([:])

    /// The problem of an unknown field; repeats its name only if that is a plain word.
    static func unknown(_ name: String, known: String) -> Problem {
        let isPlain = name.wholeMatch(of: /[A-Za-z_-]{1,40}/) != nil
        return Problem(.fieldUnknown, isPlain ? .requestFieldUnknown(name, known) : .requestSomeFieldUnknown(known))
    }

    /// Stores the text of a field; a blank text counts as not given.
    ///
    /// - Throws: ``Problem``: `field_duplicate`.
    mutating func set(_ field: SubmittedField, to text: String) throws {
        var texts = self.texts.reveal()
        guard texts.updateValue(text, forKey: field) == nil else {
            throw Problem(.fieldDuplicate, .requestGivenTwice(field.rawValue))
        }
        self.texts = Redacted(texts)
    }

    /// These texts, with those of others for the missing fields.
    func filled(from others: FieldTexts) -> FieldTexts {
        FieldTexts(texts: Redacted(self.texts.reveal().merging(others.texts.reveal()) { own, _ in own }))
    }

    /// Checks each field by itself, even if others are missing.
    ///
    /// - Throws: `business_no_invalid`, `field_invalid`.
    func fields() throws(CodedError) -> SubmittedFields { try SubmittedFields(self.texts.reveal()) }
}

// MARK: Header fields

extension SubmittedField {
    /// The header field that carries it with a raw body, such as `Card-Business-No`.
    var headerName: HTTPField.Name {
        .known("Card-" + self.rawValue.split(separator: "_").map(\.capitalized).joined(separator: "-"))
    }
}

extension FieldTexts {
    /// Reads the header fields of the card.
    ///
    /// - Throws: ``Problem``: `field_unknown`, `field_duplicate` or `field_invalid`.
    init(headers: HTTPFields) throws {
        let known = Set(SubmittedField.allCases.map(\.headerName))
        for header in headers where header.name.canonicalName.hasPrefix("card-") && !known.contains(header.name) {
            let names = SubmittedField.allCases.map(\.headerName.rawName).joined(separator: ", ")
            throw Self.unknown(header.name.canonicalName, known: names)
        }
        for field in SubmittedField.allCases {
            for value in headers[values: field.headerName] {
                try self.set(field, to: HeaderText.decode(value, of: field.headerName))
            }
        }
    }
}

/// Texts in header fields: UTF-8 with percent-encoding (RFC 3986 section 2.1) of everything that is not printable
/// ASCII, and of the percent sign.
///
/// The form of RFC 8187, `UTF-8''%E6…`, is accepted, too. A plus is a plus.
enum HeaderText {
    /// - Throws: ``Problem`` `field_invalid` if it is not in this encoding.
    static func decode(_ value: String, of name: HTTPField.Name) throws -> String {
        let text = value.lowercased().hasPrefix("utf-8''") ? String(value.dropFirst(7)) : value
        guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), let decoded = text.removingPercentEncoding else {
            throw Problem(.fieldInvalid, .requestHeaderEncoding(name.rawName))
        }
        return decoded
    }
}

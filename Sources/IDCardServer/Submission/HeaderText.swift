import HTTPTypes

/// Texts in header fields: UTF-8 with percent-encoding (RFC 3986 section 2.1) of everything that is not printable ASCII,
/// and of the percent sign.
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
                guard let high = rest.popFirst().flatMap(self.digit), let low = rest.popFirst().flatMap(self.digit)
                else { return nil }
                bytes.append(high << 4 | low)
                continue
            }
            guard 0x20...0x7E ~= byte else { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension SubmissionFields {
    /// Reads what the header fields say.
    ///
    /// - Throws: ``Problem``: `field_unknown`, `field_duplicate` or `field_invalid`.
    init(headers: HTTPFields) throws {
        let known = Set(SubmissionField.allCases.map(\.headerName))
        for header in headers where header.name.canonicalName.hasPrefix("card-") && !known.contains(header.name) {
            let names = SubmissionField.allCases.map(\.headerName.rawName).joined(separator: ", ")
            throw Problem(.fieldUnknown, "Known are \(names).")
        }
        for field in SubmissionField.allCases {
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

import HTTPTypes

/// What may be said about an image: the names of form fields, of keys in JSON, and, behind `Card-`, of header fields.
enum SubmissionField: String, CaseIterable, Sendable {
    case businessNumber = "business_no"
    case userNumber = "user_no"
    case expectedIDNumber = "expected_id_number"
    case expectedName = "expected_name"
    case side
    case priority

    /// The header field that carries it with a raw body, such as `Card-Business-No`.
    var headerName: HTTPField.Name {
        let words = self.rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return .known("Card-" + words.joined(separator: "-"))
    }

    /// All names, as a message lists them.
    static var list: String { self.allCases.map(\.rawValue).joined(separator: ", ") }
}

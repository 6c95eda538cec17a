/// The columns of a manifest and the keys of a sidecar.
enum MetadataColumn: String, CaseIterable, Hashable {
    case path
    case businessNumber = "business_no"
    case userNumber = "user_no"
    case expectedIDNumber = "expected_id_number"
    case expectedName = "expected_name"
    case side
    case priority

    /// All names, as a message lists them.
    static var list: String {
        self.allCases.map(\.rawValue).joined(separator: ", ")
    }

    /// Names columns that nobody knows, made fit for a message: at most five, cut at 40 characters, control characters
    /// replaced.
    static func describe(unknown names: [String]) -> String {
        let shown = names.prefix(5).map { name in
            let safe = name.unicodeScalars.prefix(40).map {
                $0.properties.generalCategory == .control ? "?" : String($0)
            }
            return "\"\(safe.joined())\""
        }
        return shown.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }
}

import CardModel
import Foundation

/// The texts of a row or sidecar by their columns or keys.
struct Record {
    /// The path of the photo; ignored in a sidecar.
    var path: String?
    var fields: [SubmittedField: String] = [:]
    /// The columns or keys that are given twice.
    var duplicates: [String] = []

    /// All columns and keys, as a message lists them.
    static var names: String {
        (["path"] + SubmittedField.allCases.map(\.rawValue)).map(self.bothNames).joined(separator: ", ")
    }

    /// The English name of a column or key, which may be written in Chinese; `nil` if it is unknown.
    static func column(_ name: String) -> String? {
        ["path", "文件"].contains(name) ? "path" : SubmittedField(column: name)?.rawValue
    }

    /// Returns the English name of a column with its Chinese name.
    static func bothNames(_ name: String) -> String {
        "\(name) (\(SubmittedField(rawValue: name)?.chineseName ?? "文件"))"
    }

    /// Sets the value of a column or key by its English name.
    mutating func set(_ name: String, to text: String?) {
        if let field = SubmittedField(rawValue: name) { self.fields[field] = text } else { self.path = text }
    }

    /// Returns the first unknown columns or keys for a message, each shortened and without line breaks.
    static func shown(_ names: [String]) -> Redacted<String> {
        let shown = names.prefix(InputLimits.shownNames.count).map { name in
            let cut = name.unicodeScalars.prefix(InputLimits.shownNames.length)
            return "\"" + cut.map { String($0).isVisibleLine ? String($0) : "?" }.joined() + "\""
        }
        return Redacted(shown.joined(separator: ", ") + (names.count > shown.count ? ", …" : ""))
    }

    /// The refusal of a record that has a column or key twice.
    var duplicate: CodedError { CodedError(.fieldDuplicate, .input, .recordDuplicate(self.duplicates)) }
}

extension Record {
    /// Reads a flat JSON object of texts, whole numbers and nulls: a sidecar, or a line of a JSONL manifest.
    ///
    /// A key whose value is `null` counts as missing; a repeated key is listed in `duplicates`.
    ///
    /// - Throws: `CodedError` whose message continues "row 7 of the manifest " or "its sidecar ".
    init(json: Data) throws(CodedError) {
        guard let object = JSONValue(parsing: json), object.isObject else { throw Self.invalid(.recordMalformed) }
        let unknown = object.members.map(\.name).filter { Self.column($0) == nil }
        guard unknown.isEmpty else {
            throw Self.invalid(.recordUnknownKeys(Self.shown(unknown.sorted()), known: Self.names))
        }
        var (given, twice) = (Set<String>(), Set<String>())
        for member in object.members {
            guard let column = Self.column(member.name) else { continue }
            if !given.insert(column).inserted { twice.insert(column) }
            self.set(column, to: try Self.text(of: member.value))
        }
        self.duplicates = twice.sorted()
    }

    private static func text(of value: JSONValue) throws(CodedError) -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .number(let digits):
            guard digits.contains(where: { ".eE".contains($0) }) else { return digits }
            throw Self.invalid(.recordInexactNumber)
        case .object, .array, .boolean: throw Self.invalid(.recordMalformed)
        }
    }

    private static func invalid(_ message: Message) -> CodedError { CodedError(.fieldInvalid, .input, message) }
}

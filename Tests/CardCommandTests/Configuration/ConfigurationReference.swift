/// The written forms of the declarations: the sample file and the reference page.
enum ConfigurationReference {
    /// What the sample file leaves to the reference page: one line stands for all rules of the verdict.
    private static let family = "verdict.severity."

    /// The sample file: every key with its default, commented out.
    static func sample() -> String {
        var lines = [
            "# The configuration of idcard-pipeline: every key with its default; what you set, take out of its comment.",
            "# Times are 500ms, 5s, 10m, 2h or 30d; bytes 1990000, 2MB or 32MiB. Keep this file at mode 0600.",
        ]
        for key in ConfigurationKey.all where !Self.isInFamily(key) { lines.append(Self.line(of: key)) }
        lines.append("# verdict.severity.CODE: hold  # reject, hold, warn or off for a rule of the verdict")
        lines.append("# delivery.fields.NAME: value  # a further field of every form, with a constant value")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The table of all keys for the reference page, in Markdown.
    static func table() -> String {
        let rows = ConfigurationKey.all.map { key in
            let secret = key.isSecret ? " Secret." : ""
            return "| `\(key.name)` | \(key.expectation) | \(Self.standard(of: key)) | \(key.meaning)\(secret) |"
        }
        return (["| key | value | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }

    private static func isInFamily(_ key: ConfigurationKey) -> Bool {
        key.name.hasPrefix(Self.family)
    }

    private static func line(of key: ConfigurationKey) -> String {
        let value: String =
            switch key.show(Self.defaults) {
            case .text(let text) where !text.isEmpty && key.defaultWords == nil: "\"\(text)\""
            case .list(let items): "[" + items.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
            case .unset, .secret, .text: ""
            case let value: value.text
            }
        return "# \(key.name):\(value.isEmpty ? "" : " " + value)  # \(key.meaning)"
    }

    private static func standard(of key: ConfigurationKey) -> String {
        if let words = key.defaultWords { return words }
        let value = key.show(Self.defaults)
        switch value {
        case .unset, .secret: return "–"
        case .list([]): return "empty"
        default: return "`\(value.text)`"
        }
    }

    private static let defaults = Configuration(sandboxPath: "")
}

/// The written forms of the table of keys: the README's table and the sample file. Tests compare both with what this
/// renders.
package enum ConfigurationDocument {
    /// What stands before the table in the README.
    package static let beginMarker = "<!-- configuration:begin -->"
    /// What stands after it.
    package static let endMarker = "<!-- configuration:end -->"

    /// The table for the README, with its markers.
    package static func markdown() -> String {
        let rows = ConfigurationKey.all.map { key in
            let secret = key.isSecret ? " Secret." : ""
            let cells = [
                "`\(key.path)`", Self.markdownForm(of: key), Self.markdownDefault(of: key), key.summary + secret,
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        let head = [Self.beginMarker, "| key | value | default | meaning |", "|---|---|---|---|"]
        return (head + rows + [Self.endMarker]).joined(separator: "\n") + "\n"
    }

    private static func markdownForm(of key: ConfigurationKey) -> String {
        if case .choice(let words, let planned) = key.form {
            let later = planned.isEmpty ? "" : " (later: \(planned.map { "`\($0)`" }.joined(separator: ", ")))"
            return words.map { "`\($0)`" }.joined(separator: ", ") + later
        }
        return key.form.range.map { "\(key.form.typeName), \($0)" } ?? key.form.typeName
    }

    private static func markdownDefault(of key: ConfigurationKey) -> String {
        switch key.fallback {
        case .value(""): "empty"
        case .value(let text): "`\(text)`"
        case .computed(let words): words.hasPrefix("$") ? "`\(words)`" : words
        case .unset: "–"
        }
    }
}

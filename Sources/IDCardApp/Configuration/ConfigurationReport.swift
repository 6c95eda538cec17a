import Foundation

/// What `config show` and `config check` print; secrets are never in it.
package enum ConfigurationReport {
    /// Lists every key with its effective value and where that comes from, aligned in columns.
    package static func show(_ configuration: AppConfiguration) -> String {
        let rows = configuration.entries.map { ($0.key.path, $0.shown, $0.source.rawValue) }
        let keyWidth = rows.map(\.0.count).max() ?? 0
        // A very long value pushes only its own line.
        let valueWidth = min(40, rows.map(\.1.count).max() ?? 0)
        let lines = rows.map { key, value, source in
            "\(Self.pad(key, to: keyWidth))  \(Self.pad(value, to: valueWidth))  \(source)"
        }
        let file = configuration.file ?? "none"
        return "# configuration file: \(file)\n" + lines.joined(separator: "\n") + "\n"
    }

    /// The same as one JSON object: `file`, `embedded`, `settings` (`key`, `value`, `source`, `secret`, `environment`).
    ///
    /// Numbers are numbers, byte counts are numbers of bytes, durations are texts such as `30s`, an unset key is
    /// `null`, and a secret is
    /// `<set>` or `<unset>`.
    package static func showJSON(_ configuration: AppConfiguration) throws -> String {
        try Self.encode(
            ShownConfiguration(
                file: configuration.file,
                embedded: configuration.embedded,
                settings: configuration.entries.map(ShownSetting.init)
            )
        )
    }

    /// Says whether a configuration is sound, and everything that is wrong or doubtful.
    package static func check(_ outcome: Result<AppConfiguration, ConfigurationError>) -> String {
        let checked = CheckedConfiguration(outcome)
        var lines = checked.errors.map { "error: \($0.message)" }
        lines += checked.notices.map { "\($0.kind): \($0.message)" }
        if checked.ok {
            lines.append("configuration ok (file: \(checked.file ?? "none"))")
        } else {
            lines.append("configuration not usable: \(checked.errors.count) error(s)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The same as one JSON object: `ok`, `file`, `errors` (`code`, `key`, `message`), `notices` (`level`, `key`,
    /// `message`).
    package static func checkJSON(_ outcome: Result<AppConfiguration, ConfigurationError>) throws -> String {
        try Self.encode(CheckedConfiguration(outcome))
    }

    /// The problems alone, one per line, for standard error of any command.
    package static func problems(_ error: ConfigurationError) -> String {
        error.problems.map { "error: \($0.message)\n" }.joined()
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

import CardModel

/// The documents made from the declarations: the sample file (`config/idcard-pipeline.yaml`) and the page of all keys
/// (`CardCommand.docc/Configuration.md`).
enum ConfigurationReference {
    /// The keys that real endpoints need; the sample begins with them.
    private static let required = [
        "verification.url", "verification.api_key", "verification.api_secret", "delivery.url", "delivery.token_file",
        "delivery.user_no",
    ]
    /// The prefix of keys that only the page lists: the sample has one line for all rules of the verdict.
    private static let family = "verdict.severity."

    /// The sample file: every key with its default, commented out.
    static func sample() -> String {
        var lines = [
            "# The configuration of idcard-pipeline: every key with its default. Remove the # in front of what you set.",
            "# Copy it to ~/.config/idcard-pipeline/idcard-pipeline.yaml with mode 0600, or name it by --config FILE.",
            "# Times are 500ms, 5s, 10m, 2h or 30d; bytes 1990000, 2MB or 32MiB; lists [a, b].",
            "",
            "# Needed, with a key for the sandbox (idcard-pipeline keys init)",
        ]
        lines += ConfigurationKey.all.filter { Self.required.contains($0.name) }.map(Self.line)
        for (title, keys) in ConfigurationKey.sections {
            lines += ["", "# \(title)"]
            for key in keys where !Self.required.contains(key.name) && !key.name.hasPrefix(Self.family) {
                lines.append(Self.line(of: key))
            }
            if keys.contains(where: { $0.name.hasPrefix(Self.family) }) {
                lines.append("# \(Self.family)CODE: hold  # reject, hold, warn or off for a rule of the verdict")
            }
            if keys.contains(where: { $0.name.hasPrefix(ConfigurationKey.fieldFamily) }) {
                lines.append("# \(ConfigurationKey.fieldFamily)NAME: value  # \(Self.furtherField)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The page of all keys, in Markdown.
    static func page() -> String {
        let head = """
            # Configuration

            <!-- Made by `idcard-pipeline config reference`; do not edit it. -->

            A value comes from the command line, else from an `IDCARD_…` variable, else from the YAML file, else it is the default. \
            `idcard-pipeline config show` says which, and `config check` finds what is wrong before a run does.

            The file is the one that `--config` names, else the one that `IDCARD_CONFIG` names, else \
            `~/.config/idcard-pipeline/idcard-pipeline.yaml`. `idcard-pipeline config sample` prints one to start from. \
            Give it mode 0600 if it holds secrets. `a.b: 1` and `a: {b: 1}` mean the same.

            The variable of a key is its name in capitals with `_` for `.`: that of `verification.api_key` is \
            `IDCARD_VERIFICATION_API_KEY`. Lists in variables have commas between their items.

            A relative path in the file is relative to the folder of that file; one in a variable or an option is relative to the \
            working directory. `~/` is the home folder.

            """
        var lines: [String] = []
        for (title, keys) in ConfigurationKey.sections {
            lines += ["", "## \(title)", "", "| key | value | default | meaning |", "|---|---|---|---|"]
            lines += keys.map { key in
                let secret = key.isSecret ? " Secret." : ""
                return
                    "| `\(key.name)` | \(key.expectation.text()) | \(Self.shownDefault(of: key)) | \(key.meaning.text())\(secret) |"
            }
            if keys.contains(where: { $0.name.hasPrefix(ConfigurationKey.fieldFamily) }) {
                lines.append(
                    "| `\(ConfigurationKey.fieldFamily)NAME` | a text of one line | – | \(Self.furtherField) |"
                )
            }
        }
        return head + lines.joined(separator: "\n") + "\n"
    }

    private static let furtherField = "An additional field of every form, with a constant value."

    private static func line(of key: ConfigurationKey) -> String {
        let value: String =
            switch key.show(Self.defaults) {
            case .text(let text) where !text.isEmpty && key.defaultWords == nil: "\"\(text)\""
            case .list(let items): "[" + items.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
            case .unset, .secret, .text: ""
            case let value: value.text
            }
        let values = key.expectation.id == "value.one_of" ? " (\(key.expectation.text()))" : ""
        return "# \(key.name):\(value.isEmpty ? "" : " " + value)  # \(key.meaning.text())\(values)"
    }

    private static func shownDefault(of key: ConfigurationKey) -> String {
        if let text = key.defaultWords { return text }
        let value = key.show(Self.defaults)
        switch value {
        case .unset, .secret: return "–"
        case .list([]): return "empty"
        default: return "`\(value.text)`"
        }
    }

    private static let defaults = Configuration(sandboxPath: "")
}

extension ConfigurationDocument {
    /// The sample file: every key with its meaning and its default, commented out.
    package static func yaml() -> String {
        var lines = Self.yamlHeader
        var open: [String] = []
        for key in ConfigurationKey.all {
            let sections = key.components.dropLast()
            let common = zip(open, sections).prefix { $0 == $1 }.count
            if common == 0 { lines.append("") }
            for (depth, section) in sections.enumerated().dropFirst(common) {
                lines.append("# \(Self.indent(depth))\(section):")
            }
            open = Array(sections)
            lines += Self.yamlLines(of: key, depth: sections.count)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let yamlHeader = """
        # Configuration of idcard-pipeline: every key, its meaning and its default, all commented out.
        #
        # It is read from --config FILE, else from the file that IDCARD_CONFIG names, else from
        # $XDG_CONFIG_HOME/idcard-pipeline/idcard-pipeline.yaml (~/.config/idcard-pipeline/idcard-pipeline.yaml).
        # An option of the command line wins over the environment, the environment over this file, this file over the
        # defaults. A key's variable is IDCARD_ and its path in capitals with _ for every dot: IDCARD_IMAGING_MAX_EDGE;
        # lists in variables are separated by commas. Durations are written 500ms, 5s, 10m, 2h; numbers of bytes
        # 1990000, 2MB, 32MiB. Relative paths start at the working directory.
        #
        # To set a key, remove every `# ` before it and before the sections above it, and keep the blanks that are left.
        # A file that holds secrets should have mode 0600.
        """.split(separator: "\n").map(String.init)

    private static func yamlLines(of key: ConfigurationKey, depth: Int) -> [String] {
        let indent = Self.indent(depth)
        let name = key.components.last ?? key.path
        return [
            "# \(indent)# \(key.summary) [\(Self.yamlNotes(key).joined(separator: "; "))]",
            "# \(indent)\(Self.yamlSetting(name, key))",
        ]
    }

    private static func yamlNotes(_ key: ConfigurationKey) -> [String] {
        var notes = [key.form.range.map { "\(key.form.typeName), \($0)" } ?? key.form.typeName]
        if key.isSecret { notes.append("secret") }
        switch key.fallback {
        case .value: break
        case .computed(let words): notes.append("default: \(words)")
        case .unset: notes.append("unset by default")
        }
        return notes
    }

    private static func yamlSetting(_ name: String, _ key: ConfigurationKey) -> String {
        switch key.fallback {
        case .value(let text) where key.form.isList:
            "\(name): [\(text.isEmpty ? "" : text.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ", "))]"
        case .value(let text) where key.form.isFreeText: "\(name): \(Self.quotedIfNeeded(text))"
        case .value(let text): "\(name): \(text)"
        // A second `#`: the file without its first ones still sets nothing but defaults.
        case .computed, .unset: "# \(name): \(Self.placeholder(key.form))"
        }
    }

    /// Quotes what other readers of YAML would take for something else than a text, such as `01234567`.
    private static func quotedIfNeeded(_ text: String) -> String {
        let isPlain =
            text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || "_.-".contains($0) }
        return isPlain && BooleanText.parse(text) == nil ? text : "\"\(text)\""
    }

    private static func placeholder(_ form: ConfigurationForm) -> String {
        switch form {
        case .url: "https://host/path"
        case .path: "/path"
        case .proxy: "http://host:3128"
        case .integer: "4"
        default: "…"
        }
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }
}

/// Finds names that belong to no key, in all layers.
enum ConfigurationNames {
    /// Paths of the file that the table does not have, and paths that are set twice.
    static func check(_ file: ConfigurationFile) -> [ConfigurationError.Problem] {
        let layer = ConfigurationLayer.file(file)
        let known = ConfigurationKey.all.map(\.path)
        var problems: [ConfigurationError.Problem] = []
        var seen: Set<String> = []
        for path in file.paths.sorted() {
            if !seen.insert(path).inserted {
                problems.append(.init(.duplicateKey, key: path, "\(Self.safe(path)) is set twice in \(file.path)"))
            } else if ConfigurationKey.named(path) == nil {
                let isSection = known.contains { $0.hasPrefix(path + ".") }
                // A section whose lines are all commented out is an empty value to the parser.
                if isSection, case .scalar("") = layer?.written(path) { continue }
                problems.append(Self.unknown(path, known: known, isSection: isSection, origin: file.path))
            }
        }
        return problems
    }

    /// Options that the table does not have.
    static func check(overrides: [String: String]) -> [ConfigurationError.Problem] {
        overrides.keys.filter { ConfigurationKey.named($0) == nil }.sorted().map {
            Self.unknown($0, known: ConfigurationKey.all.map(\.path), isSection: false, origin: "the command line")
        }
    }

    /// `IDCARD_…` variables that no key has; only a warning, because an environment serves many programs and versions.
    static func check(environment: [String: String]) -> [ConfigurationNotice] {
        let known = ConfigurationKey.all.map(\.environmentName) + [ConfigurationFile.variable]
        return environment.keys
            .filter { $0.hasPrefix(ConfigurationKey.environmentPrefix) && !known.contains($0) }
            .sorted()
            .map { name in
                let hint = KeySuggestion.closest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
                return .warning("the variable \(Self.safe(name)) belongs to no key and is ignored\(hint)")
            }
    }

    private static func unknown(
        _ path: String,
        known: [String],
        isSection: Bool,
        origin: String
    ) -> ConfigurationError.Problem {
        let name = Self.safe(path)
        if isSection {
            return .init(
                .unknownKey,
                key: name,
                "\(name) is a section of keys and has no value of its own (from \(origin))"
            )
        }
        let meant = KeySuggestion.closest(to: path, among: known).map { "did you mean \($0)?" }
        let hint = meant ?? "`idcard-pipeline config show` lists all of them"
        return .init(
            .unknownKey,
            key: name,
            "\(name) is no configuration key (from \(origin)); \(hint)"
        )
    }

    /// A name from outside, clipped and on one line.
    private static func safe(_ name: String) -> String {
        String(name.prefix(80).map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "?" })
    }
}

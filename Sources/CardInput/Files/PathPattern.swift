import CardModel
import Glibc
import SystemPackage

/// A path with wildcards that the shell has not expanded: glob(3) and fnmatch(3) interpret it as a shell does.
enum PathPattern {
    static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    static func matches(_ name: FilePath.Component, _ pattern: String) -> Bool {
        self.inUTF8 { name.withPlatformString { fnmatch(pattern, $0, FNM_PERIOD) == 0 } }
    }

    /// Lists the matches of a pattern, sorted by the bytes of the paths, and counts the files that each rule skipped.
    ///
    /// The rules are those of `IgnoredNames`. Symbolic links that leave the part before the first wildcard are skipped, too.
    ///
    /// - Throws: `input_unreadable` if a folder of the pattern cannot be listed.
    static func expand(_ text: String) throws(CodedError) -> (paths: [FilePath], skipped: [String: Int]) {
        let pattern = FilePath(text)
        let fixed = pattern.components.prefix { !self.hasWildcard($0) }
        // If that part does not exist, nothing matches; the caller reports that.
        guard let base = try? FilePath(root: pattern.root, fixed).real() else { return ([], [:]) }
        var (paths, skipped): ([FilePath], [String: Int]) = ([], [:])
        for path in try self.matches(text) where path.isUTF8 {
            let names = zip(path.components, pattern.components).filter { self.hasWildcard($1) }.map(\.0)
            if let rule = names.lazy.compactMap({ self.rule(matching: $0.text) }).first {
                skipped[rule, default: 0] += 1
            } else if names.allSatisfy({ $0.kind == .regular }), let real = try? path.real(), real.starts(with: base) {
                paths.append(path)
            }
        }
        return (paths.sorted { $0.precedes($1) }, skipped)
    }

    /// Expands a pattern with glob(3); fails at a folder that cannot be listed, unless it holds no input.
    private static func matches(_ text: String) throws(CodedError) -> [FilePath] {
        var found = glob_t()
        defer { globfree(&found) }
        let status = self.inUTF8 {
            glob(
                text,
                GLOB_NOSORT,
                { PathPattern.mayBeUnlisted($0.map { FilePath(platformString: $0) } ?? "", $1) ? 0 : 1 },
                &found
            )
        }
        guard status == 0 || status == GLOB_NOMATCH else {
            throw .unreadable(input: .inputPatternUnreadable(text))
        }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { FilePath(platformString: $0) } }
    }

    /// Whether an unlistable folder may be ignored, because it holds no input.
    private static func mayBeUnlisted(_ folder: FilePath, _ error: Int32) -> Bool {
        Errno(rawValue: error).isAbsence || self.rule(matching: folder.name) != nil
    }

    private static func hasWildcard(_ component: FilePath.Component) -> Bool {
        component.text.contains { "*?[\\".contains($0) }
    }

    /// Returns the rule that skips a name. A hidden name is intended: only a pattern that starts with a dot matches it.
    private static func rule(matching name: String) -> String? {
        IgnoredNames.rule(matching: name.utf8.first == UInt8(ascii: ".") ? String(name.dropFirst()) : name)
    }

    /// Runs a body in a UTF-8 locale: in the C locale `?` would match one byte, a third of a Chinese character.
    private static func inUTF8<Value>(_ body: () -> Value) -> Value {
        let utf8 = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
        let before = utf8.map { uselocale($0) }
        defer {
            if let before { uselocale(before) }
            if let utf8 { freelocale(utf8) }
        }
        return body()
    }
}

/// The text of a file, with and without comments and literals.
struct SourceText {
    /// The path below the project's root.
    let path: String
    /// The lines as written.
    let lines: [String]
    /// The lines with everything in comments and string literals replaced by blanks, so that only code is left.
    let code: [String]

    /// Takes a file's text; only Swift and C have comments and literals that are told apart from code.
    init(path: String, text: String) {
        self.path = path
        self.lines = Self.split(text)
        let isCode = [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
        self.code = isCode ? Self.split(CodeMask.mask(text)) : self.lines
    }

    /// The target that the file belongs to: the folder below `Sources` or `Tests`.
    var target: String {
        let parts = self.path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The file's name without folders.
    var fileName: String { self.path.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether the line above is a comment, which then explains the line.
    func isExplained(lineAt index: Int) -> Bool {
        guard index > 0 else { return false }
        let above = self.lines[index - 1].drop { $0 == " " }
        return above.hasPrefix("//")
    }

    /// Makes a finding at a line given by its index.
    func finding(at index: Int, _ message: String) -> Finding {
        Finding(path: self.path, line: index + 1, message: message)
    }

    private static func split(_ text: String) -> [String] {
        // Byte by byte: to `Character`, the line break of a CRLF file is no line break.
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}

extension String {
    /// Whether some ASCII text occurs; much faster than a regular expression, which is then tried only where it can
    /// match.
    func mentions(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return true }
        var rest = self.utf8[...]
        while let index = rest.firstIndex(of: first) {
            rest = rest[index...]
            if rest.starts(with: text.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}

/// Checks for words that have no place in `Sources`.
enum WordRule {
    private struct Word {
        /// Texts without one of which the pattern cannot match.
        var hints: [String]
        var pattern: Regex<Substring>
        var message: String
        /// Whether a comment on the line above, giving the reason, makes it right.
        var mayBeExplained = false
    }

    private static var words: [Word] {
        [
            Word(
                hints: ["print("],
                pattern: #/(?:^|[^\w.])print\(/#,
                message: "print( writes past the output of the commands"
            ),
            Word(hints: ["try!"], pattern: #/\btry!/#, message: "try! turns an error into a crash"),
            Word(
                hints: ["fatalError"],
                pattern: #/\bfatalError\(/#,
                message: "fatalError( turns an error into a crash"
            ),
            Word(
                hints: ["Task"],
                pattern: #/(?:^|[^\w.])Task\s*(?:\{|\(|<[^>]*>\s*[{(])/#,
                message: "an unstructured Task needs a comment above",
                mayBeExplained: true
            ),
            Word(
                hints: ["Task.detached"],
                pattern: #/\bTask\.detached\b/#,
                message: "Task.detached needs a comment above",
                mayBeExplained: true
            ),
            Word(
                hints: ["@unchecked"],
                pattern: #/@unchecked\s+Sendable/#,
                message: "@unchecked Sendable needs a comment above",
                mayBeExplained: true
            ),
            Word(
                hints: ["nonisolated("],
                pattern: #/nonisolated\(unsafe\)/#,
                message: "nonisolated(unsafe) needs a comment above",
                mayBeExplained: true
            ),
            Word(
                hints: ["Util", "Helper", "Manager"],
                pattern:
                    #/\b(?:struct|class|enum|actor|protocol|typealias)\s+\w*(?:Utils?|Utilities|Helpers?|Managers?)\b/#,
                message: "a name that says nothing: Utils, Helper, Manager"
            ),
        ]
    }

    /// Checks one Swift file of `Sources`.
    static func findings(in source: SourceText) -> [Finding] {
        var findings: [Finding] = []
        let words = self.words
        for (index, line) in source.code.enumerated() {
            for word in words where word.hints.contains(where: line.mentions) && line.contains(word.pattern) {
                // Declaring a function of this name is not calling the standard library's.
                if word.hints == ["print("], line.mentions("func print(") { continue }
                if word.mayBeExplained, source.isExplained(lineAt: index) { continue }
                findings.append(source.finding(at: index, word.message))
            }
        }
        return findings + self.unfinished(in: source) + self.fileName(of: source)
    }

    /// Checks any file for marks of unfinished work, comments included.
    static func unfinished(in source: SourceText) -> [Finding] {
        // Put together here, so that this file does not find itself.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
        return source.lines.enumerated().compactMap { index, line in
            marks.first { line.mentions($0) }.map { source.finding(at: index, "unfinished work: \($0)") }
        }
    }

    private static func fileName(of source: SourceText) -> [Finding] {
        let isNamedBadly = source.path.split(separator: "/").contains { part in
            part.contains(#/^(?:\w*(?:Utils?|Utilities|Helpers?|Managers?)|Common)(?:\+\w+)?(?:\.\w+)?$/#)
        }
        return isNamedBadly
            ? [source.finding(at: 0, "a file or folder name that says nothing: Utils, Helper, Manager, Common")] : []
    }
}

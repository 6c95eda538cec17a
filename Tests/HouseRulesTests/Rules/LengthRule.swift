/// Checks the hard limits on the length of files and functions.
enum LengthRule {
    /// The most lines of a file.
    static let file = 500
    /// The most lines of a function, from its keyword to its closing brace.
    static let function = 70

    /// Checks one Swift or C file.
    static func findings(in source: SourceText) -> [Finding] {
        var findings: [Finding] = []
        let count = source.lines.last == "" ? source.lines.count - 1 : source.lines.count
        if count > self.file {
            findings.append(source.finding(at: 0, "the file has \(count) lines, more than \(self.file)"))
        }
        let isSwift = source.path.hasSuffix(".swift")
        let functions = isSwift ? source.swiftFunctions().map { ($0.name, $0.lines) } : self.cFunctions(in: source)
        for (name, lines) in functions where lines.count > self.function {
            let message = "the function \(name) has \(lines.count) lines, more than \(self.function)"
            findings.append(source.finding(at: lines.lowerBound, message))
        }
        return findings
    }

    /// Finds C functions: a brace at the outermost level after a closing parenthesis.
    private static func cFunctions(in source: SourceText) -> [(String, ClosedRange<Int>)] {
        var functions: [(String, ClosedRange<Int>)] = []
        var depth = 0
        var statement = ""
        var start = 0
        var open: (name: String, line: Int)?
        for (index, line) in source.code.enumerated() where !line.hasPrefix("#") {
            for character in line {
                if character == "}" {
                    depth -= 1
                    if depth == 0 {
                        if let function = open { functions.append((function.name, function.line...index)) }
                        open = nil
                        statement = ""
                    }
                } else if character == "{" {
                    if depth == 0, statement.trimmed.hasSuffix(")"), let name = statement.firstMatch(of: #/(\w+)\s*\(/#)
                    {
                        open = (String(name.1), start)
                    }
                    depth += 1
                } else if depth == 0 {
                    if statement.trimmed.isEmpty { start = index }
                    statement = character == ";" ? "" : statement + String(character)
                }
            }
            if depth == 0 { statement += " " }
        }
        return functions
    }
}

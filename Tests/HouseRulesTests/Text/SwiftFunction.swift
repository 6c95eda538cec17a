/// A function, initialiser or test found in Swift code by counting braces.
struct SwiftFunction {
    /// The name; `init` for an initialiser.
    var name: String
    /// The index of the line with the keyword.
    var line: Int
    /// The indices of the lines from the keyword to the closing brace; one line for a requirement without body.
    var lines: ClosedRange<Int>
    /// The attributes and modifiers before the keyword, also on lines above.
    var attributes: String
    /// The names of the types around it, outermost first.
    var types: [String]
}

extension SourceText {
    /// Finds all functions.
    func swiftFunctions() -> [SwiftFunction] {
        var functions: [SwiftFunction] = []
        var types: [(name: String, depth: Int)] = []
        var depth = 0
        for (index, line) in self.code.enumerated() {
            let braces = line.utf8.count(where: { $0 == UInt8(ascii: "{") })
            if braces > 0, let type = Self.typeName(in: line) { types.append((type, depth)) }
            if line.mentions("func") || line.mentions("init"),
                let match = line.firstMatch(of: #/^(.*?)\b(?:func\s+(\w+|[^\w\s(]+)|(init)[?!]?)\s*[<(]/#),
                Self.areModifiers(match.1)
            {
                functions.append(
                    SwiftFunction(
                        name: String(match.2 ?? "init"),
                        line: index,
                        lines: index...self.endOfBody(from: index, column: match.0.count - 1),
                        attributes: self.attributes(above: index) + match.1,
                        types: types.map(\.name)
                    )
                )
            }
            depth += braces - line.utf8.count(where: { $0 == UInt8(ascii: "}") })
            while let last = types.last, depth <= last.depth { types.removeLast() }
        }
        return functions
    }

    private static func typeName(in line: String) -> String? {
        guard !line.mentions("class func"), !line.mentions("class var") else { return nil }
        let pattern = #/\b(?:struct|class|enum|actor|protocol|extension)\s+(\w+(?:\.\w+)*)/#
        return line.firstMatch(of: pattern).map { String($0.1) }
    }

    /// Whether only attributes and modifiers stand before the keyword; `self.init(` and `Type.init(` are calls.
    private static func areModifiers(_ before: Substring) -> Bool {
        before.wholeMatch(of: #/\s*(?:@?\w+(?:\([^)]*\))?\s+)*/#) != nil
    }

    /// The attribute lines directly above a declaration.
    func attributes(above index: Int) -> String {
        var text = ""
        var depth = 0
        var above = index - 1
        while above >= 0 {
            let line = self.code[above].trimmed
            depth += line.count(where: { $0 == ")" }) - line.count(where: { $0 == "(" })
            // The middle of an attribute with arguments over several lines, its end, or an attribute on a line of its
            // own.
            guard depth > 0 || line.hasPrefix("@") else { break }
            text = line + " " + text
            above -= 1
        }
        return text
    }

    /// The index of the line where the body ends that follows a parameter list; the line of the signature if there is
    /// no body.
    private func endOfBody(from start: Int, column: Int) -> Int {
        var parentheses = 0
        var braces = 0
        var index = start
        while index < self.code.count {
            let line = index == start ? String(self.code[index].dropFirst(column)) : self.code[index]
            for character in line {
                switch character {
                case "(", "[": if braces == 0 { parentheses += 1 }
                case ")", "]": if braces == 0 { parentheses -= 1 }
                case "{" where parentheses == 0: braces += 1
                case "}" where parentheses == 0:
                    braces -= 1
                    if braces == 0 { return index }
                    if braces < 0 { return max(start, index - 1) }
                default: break
                }
            }
            if braces == 0, parentheses == 0, !self.continuesSignature(after: index) { return index }
            index += 1
        }
        return self.code.count - 1
    }

    private func continuesSignature(after index: Int) -> Bool {
        guard index + 1 < self.code.count else { return false }
        let next = self.code[index + 1].trimmed
        return ["{", "->", "where", "async", "throws", "rethrows"].contains { next.hasPrefix($0) }
    }
}

extension String {
    /// The text without blanks at its ends.
    var trimmed: Substring {
        let start = self.drop { $0 == " " || $0 == "\t" }
        return start[
            ..<(start.lastIndex { $0 != " " && $0 != "\t" }.map { start.index(after: $0) } ?? start.startIndex)
        ]
    }
}

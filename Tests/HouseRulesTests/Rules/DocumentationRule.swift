/// Checks that every declaration seen from outside its module has a documentation comment, and so every requirement of
/// such a protocol.
enum DocumentationRule {
    /// Members that implement a requirement of the standard library, which documents them.
    private static let exempt: Set<String> = [
        "==", "<", "code", "customMirror", "debugDescription", "description", "encode(to:)", "errorDescription",
        "hash(into:)",
        "init(from:)", "init(rawValue:)", "rawValue",
    ]

    /// Members that implement a requirement of a package's protocol, in files that name the protocol.
    private static let exemptByConformance: [(protocol: String, members: Set<String>)] = [
        ("ParsableCommand", ["configuration", "run()", "validate()"]),
        ("ParsableArguments", ["validate()"]),
        ("Service", ["run()"]),
        ("LogHandler", ["log(event:)", "logLevel", "metadata", "subscript(metadataKey:)"]),
    ]

    private struct Declaration {
        var name: String
        var isExported: Bool
        var isProtocol: Bool
    }

    /// Checks one Swift file of `Sources`.
    ///
    /// - Parameter requirements: what our own protocols require; a member that implements it is documented there.
    static func findings(in source: SourceText, requirements: Set<String> = []) -> [Finding] {
        var exempt = self.exempt.union(requirements)
        for (name, members) in self.exemptByConformance where source.code.contains(where: { $0.mentions(name) }) {
            exempt.formUnion(members)
        }
        var findings: [Finding] = []
        self.visit(source) { index, declaration, isRequirement in
            guard declaration.isExported || isRequirement else { return }
            guard isRequirement || !exempt.contains(declaration.name) else { return }
            if !self.isDocumented(index, in: source) {
                findings.append(source.finding(at: index, "\(declaration.name) lacks a documentation comment"))
            }
        }
        return findings
    }

    /// The requirements of the protocols that a file exports.
    static func requirements(in source: SourceText) -> Set<String> {
        var names: Set<String> = []
        self.visit(source) { _, declaration, isRequirement in
            if isRequirement { names.insert(declaration.name) }
        }
        return names
    }

    private static func visit(_ source: SourceText, _ body: (Int, Declaration, _ isRequirement: Bool) -> Void) {
        var depth = 0
        var protocolDepth: Int?
        for (index, line) in source.code.enumerated() {
            let declaration = self.declaration(in: line, of: source, at: index)
            if let declaration {
                let isRequirement = protocolDepth.map { depth == $0 + 1 } ?? false
                body(index, declaration, isRequirement)
                if declaration.isProtocol, declaration.isExported { protocolDepth = depth }
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
            }
            if let outer = protocolDepth, depth <= outer, line.utf8.contains(UInt8(ascii: "}")) { protocolDepth = nil }
        }
    }

    /// What is declared on a line: the name, with labels for what takes arguments.
    private static func declaration(in line: String, of source: SourceText, at index: Int) -> Declaration? {
        let words = [
            "func", "var", "let", "init", "struct", "enum", "class", "actor", "protocol", "case", "typealias",
            "subscript",
        ]
        guard words.contains(where: { line.mentions($0) }) || line.mentions("associatedtype") else { return nil }
        let pattern =
            #/
            ^\s*(?<modifiers>(?:@?\w+(?:\([^)]*\))?\s+)*?)
            (?<keyword>struct|enum|class|actor|protocol|func|init|var|let|case|typealias|subscript|associatedtype|macro)
            (?:[?!]?(?=[\(<])|\s+(?<name>`?\w+`?|[^\w\s\(]+))
            /#
        guard let match = line.firstMatch(of: pattern) else { return nil }
        let modifiers = match.modifiers.split(separator: " ")
        var name = match.name.map(String.init) ?? String(match.keyword)
        if ["func", "init", "subscript"].contains(match.keyword), name != "==", name != "<" {
            name += self.labels(from: index, in: source)
        }
        return Declaration(
            name: name,
            isExported: modifiers.contains("package") || modifiers.contains("public") || modifiers.contains("open"),
            isProtocol: match.keyword == "protocol"
        )
    }

    /// The argument labels of a function, as in `(from:)`.
    private static func labels(from index: Int, in source: SourceText) -> String {
        let text = source.code[index..<min(index + 12, source.code.count)].joined(separator: " ")
        guard let open = text.firstIndex(of: "(") else { return "" }
        var depth = 0
        var labels = ""
        var word = ""
        var isAtLabel = true
        for character in text[open...] {
            switch character {
            case "(", "[", "<", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case ",": if depth == 1 { (isAtLabel, word) = (true, "") }
            case ":" where depth == 1 && isAtLabel:
                labels += (word.split(separator: " ").first ?? "_") + ":"
                isAtLabel = false
            default: if depth == 1, isAtLabel { word.append(character) }
            }
            if depth == 0 { break }
        }
        return "(\(labels))"
    }

    private static func isDocumented(_ index: Int, in source: SourceText) -> Bool {
        var above = index - 1
        var depth = 0
        while above >= 0 {
            let line = source.code[above].trimmed
            depth += line.count(where: { $0 == ")" }) - line.count(where: { $0 == "(" })
            guard depth > 0 || line.hasPrefix("@") || line.hasPrefix("#if") else { break }
            above -= 1
        }
        return above >= 0 && source.lines[above].trimmed.hasPrefix("///")
    }
}

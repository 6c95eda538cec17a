/// Checks what goes into logs: messages are constants, and values stand under keys that are on the list.
enum LogRule {
    /// Where the list is.
    static let list = "Sources/IDCardApp/Output/LoggedKeys.swift"

    /// The keys of the list.
    static func listedKeys(in source: SourceText) -> Set<String> {
        let start = source.lines.firstIndex { $0.mentions("let all: Set<String>") } ?? source.lines.endIndex
        return Set(
            source.lines[start...].flatMap { line in
                line.matches(of: #/"(?<key>[a-z_.]+)"/#).map { String($0.output.key) }
            }
        )
    }

    /// Checks one Swift file of `Sources`.
    static func findings(in source: SourceText, listed: Set<String>) -> [Finding] {
        var findings: [Finding] = []
        for (index, line) in source.lines.enumerated() where source.code[index].mentions("logger.") {
            let call = #/logger\.(?:trace|debug|info|notice|warning|error|critical)\(\s*(?<rest>.*)/#
            guard let match = line.firstMatch(of: call) else { continue }
            let next = index + 1 < source.lines.count ? source.lines[index + 1] : ""
            let message = match.output.rest.isEmpty ? next : String(match.output.rest)
            let literal = message.firstMatch(of: #/^\s*"(?<text>[^"]*)"/#)?.output.text
            if literal == nil || literal?.contains("\\(") == true {
                findings.append(source.finding(at: index, "a log message that is no constant"))
            }
        }
        for (index, key) in self.keys(in: source) where !listed.contains(key) {
            findings.append(source.finding(at: index, "a log key that is not in LoggedKeys: \(key)"))
        }
        return findings
    }

    /// The keys under which values are logged, with their lines.
    static func keys(in source: SourceText) -> [(Int, String)] {
        var keys: [(Int, String)] = []
        // How many brackets of a dictionary of metadata are open.
        var depth = 0
        for (index, line) in source.lines.enumerated() {
            for match in line.matches(of: #/metadata(?:Key: |\[)"(?<key>[^"]+)"/#) {
                keys.append((index, String(match.output.key)))
            }
            var code = Substring(source.code[index])
            var text = Substring(line)
            if depth == 0 {
                guard let start = line.firstRange(of: #/(?:metadata: |Logger\.Metadata = )\[/#) else { continue }
                let offset = line.distance(from: line.startIndex, to: start.upperBound)
                (code, text) = (code.dropFirst(offset), text.dropFirst(offset))
                depth = 1
            }
            let brackets = code.reduce(into: depth) { open, character in
                guard open > 0 else { return }
                if character == "[" { open += 1 } else if character == "]" { open -= 1 }
            }
            keys += text.matches(of: #/"(?<key>[a-z_.]+)": "/#).map { (index, String($0.output.key)) }
            depth = brackets
        }
        return keys
    }
}

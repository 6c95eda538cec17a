package import CardModel

/// The texts of all messages in Simplified Chinese, by area: a line has an id and its text.
enum ChineseTexts {
    private static let areas = [
        values, model, imaging, input, store, engine, backend, verifier, fetch, http, server, pages, problems, commands,
        configuration, configurationKeys, keys, run, serve, watch, console, helpRun, helpCases, helpCards, helpSandbox,
        language, reasons,
    ]

    /// The texts by their ids. In a text, `\n` stands for a line break and `\\` for a backslash.
    static func read() -> [String: String] {
        var texts: [String: String] = [:]
        for line in Self.areas.joined(separator: "\n").split(separator: "\n") {
            guard let sign = line.firstRange(of: " = ") else { preconditionFailure("This is no text: \(line)") }
            let text = String(line[sign.upperBound...]).replacing(#/\\(.)/#) { $0.1 == "n" ? "\n" : String($0.1) }
            let isNew = texts.updateValue(text, forKey: String(line[..<sign.lowerBound])) == nil
            precondition(isNew, "A text is there twice: \(line)")
        }
        return texts
    }
}

extension MessageCatalogue {
    /// Simplified Chinese.
    package static let chinese = MessageCatalogue(texts: ChineseTexts.read())
}

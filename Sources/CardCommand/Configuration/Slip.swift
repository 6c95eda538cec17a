import CardModel

// Characters that input methods, editors and chats put into a value: it looks right, but is not what was intended.
extension WrittenValue {
    /// A correction if a value holds misleading characters, else `nil`. Not for commands and the names of form fields, files and
    /// folders, which may hold any character.
    ///
    /// - Parameter isList: whether the value is a list, with entries separated by commas.
    func slip(isList: Bool = false) -> Message? {
        var texts: [String]
        switch self {
        case .text(let text): texts = [text] + (isList ? self.items ?? [] : [])
        case .list(let items): texts = items
        }
        texts = texts.map { String($0.drop(while: Self.blanks.contains)) }
        if texts.contains(where: Self.isQuoted) { return .valueWithoutQuotes }
        for scalar in texts.joined().unicodeScalars where !scalar.isASCII {
            if scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace
                || !String(scalar).isVisibleLine
            {
                return .valueVisible("U+" + String(scalar.value, radix: 16, uppercase: true))
            }
            if scalar.properties.generalCategory == .decimalNumber { return .valueDigits }
            if isList, Self.separators.contains(scalar) { return .valueCommas(String(scalar)) }
        }
        return nil
    }

    private static let blanks: Set<Character> = [" ", "\t", "\r", "\n"]
    private static let quotes = Set("\"'`´“”„‟‘’‚‛«»‹›「」『』﹁﹂﹃﹄｢｣〝〞〟＂＇′″")
    private static let separators = Set("，、；﹐﹑﹔､،؛".unicodeScalars)

    private static func isQuoted(_ text: String) -> Bool {
        guard text.count > 1, let first = text.first, let last = text.last else { return false }
        return self.quotes.contains(first) && self.quotes.contains(last)
    }
}

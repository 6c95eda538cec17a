import IDCardCore

/// Takes out of a foreign text what is, or may be, personal or secret.
///
/// Masked are, in every spelling ``ForeignText`` knows:
/// - every run of six digits and more, an X at its end included;
/// - every value that was sent, and every confidential one, anywhere; one of one or two letters only as a whole word,
///   or half the alphabet would go;
/// - of a confidential value of six characters and more, every piece of four: addresses are quoted in part;
/// - percent-encoded bytes that cannot be read.
struct MessageMask: Sendable {
    /// The longest masked text, in characters.
    static let maximumLength = 200
    /// How many scalars of a text are looked at, and how many of these are shown at most: a value at the end of what is
    /// shown is still seen whole.
    private static let limits = (read: 8192, shown: 2048)
    private static let pieceLength = 4
    private static let leastPiecedLength = 6
    private static let leastDigits = 6
    private static let mark = "…"

    private let values: Set<[Unicode.Scalar]>
    private let pieces: Set<[Unicode.Scalar]>

    /// Takes the values that no message may repeat.
    ///
    /// - Parameters:
    ///   - sent: the values of the delivery's parts.
    ///   - confidential: personal values of its members, which are quoted in part, too.
    init(sent: [String] = [], confidential: [String] = []) {
        let personal = confidential.map(Self.letters)
        self.values = Set((sent.map(Self.letters) + personal).filter { !$0.isEmpty })
        self.pieces = Set(
            personal.filter { $0.count >= Self.leastPiecedLength }.flatMap { value in
                (0...value.count - Self.pieceLength).map { Array(value[$0..<$0 + Self.pieceLength]) }
            }
        )
    }

    /// Returns a text masked, on one line, and cut to ``maximumLength``.
    func presentable(_ text: String) -> String {
        let foreign = ForeignText(text, limit: Self.limits.read)
        let isMasked = self.masked(foreign)
        var shown = ""
        for (index, scalar) in foreign.scalars.prefix(Self.limits.shown).enumerated() {
            if isMasked[index] {
                if index == 0 || !isMasked[index - 1] { shown += Self.mark }
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown += " "
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return String(shown.trimmed.prefix(Self.maximumLength))
    }

    /// Whether a text holds a value of four letters and more.
    func holdsValue(_ text: String) -> Bool {
        let letters = Self.letters(text)
        return self.values.contains { $0.count >= Self.pieceLength && letters.contains($0) }
    }

    /// For each scalar of a text, whether it must not be shown.
    private func masked(_ text: ForeignText) -> [Bool] {
        var isMasked = [Bool](repeating: false, count: text.scalars.count)
        for range in self.ranges(of: text) + Self.numbers(in: text) {
            let first = text.letters[range.lowerBound].source
            let last = text.letters[range.upperBound - 1].source
            for index in first.lowerBound..<last.upperBound { isMasked[index] = true }
        }
        for range in text.opaque { for index in range { isMasked[index] = true } }
        return isMasked
    }

    /// Where the values and their pieces stand, in letters.
    private func ranges(of text: ForeignText) -> [Range<Int>] {
        let scalars = text.letters.map(\.scalar)
        let byFirst = Dictionary(grouping: self.values) { $0[0] }
        var found: [Range<Int>] = []
        for start in scalars.indices {
            for value in byFirst[scalars[start]] ?? [] where scalars[start...].starts(with: value) {
                let range = start..<start + value.count
                if Self.isTellingAnywhere(value) || Self.isWholeWord(range, of: text) { found.append(range) }
            }
            let end = start + Self.pieceLength
            if end <= scalars.count, self.pieces.contains(Array(scalars[start..<end])) { found.append(start..<end) }
        }
        return found
    }

    /// The runs of digits that may be numbers of persons, telephones or accounts, whatever separates the digits.
    private static func numbers(in text: ForeignText) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < text.letters.count {
            var end = start
            while end < text.letters.count, text.letters[end].isDigit { end += 1 }
            guard end - start >= self.leastDigits else {
                start = end + 1
                continue
            }
            if end < text.letters.count, text.letters[end].scalar == "x" { end += 1 }
            found.append(start..<end)
            start = end
        }
        return found
    }

    /// Whether a value is masked inside words, too: names of two ideographs are, for Chinese has no spaces.
    private static func isTellingAnywhere(_ value: [Unicode.Scalar]) -> Bool {
        value.count > 2 || value.count == 2 && value.allSatisfy(\.properties.isIdeographic)
    }

    private static func isWholeWord(_ range: Range<Int>, of text: ForeignText) -> Bool {
        self.isBoundary(range.lowerBound, of: text) && self.isBoundary(range.upperBound, of: text)
    }

    /// Whether a word can begin at a letter: the text's ends, separators, and changes between ideographs and others.
    private static func isBoundary(_ index: Int, of text: ForeignText) -> Bool {
        guard text.letters.indices.contains(index), index > 0 else { return true }
        return text.isSeparated(before: index)
            || text.letters[index].scalar.properties.isIdeographic
                != text.letters[index - 1].scalar.properties.isIdeographic
    }

    private static func letters(_ text: String) -> [Unicode.Scalar] { ForeignText(text).letters.map(\.scalar) }
}

/// Decodes the percent-encoded bytes in a foreign text (RFC 3986 section 2.1).
enum PercentRuns {
    /// Returns the text with one layer of percent-encoding removed; `nil` if it has none.
    ///
    /// A run of bytes that is no UTF-8 (GBK, say) is left out and its place returned.
    static func decoded(
        _ letters: [ForeignText.Letter]
    ) -> (letters: [ForeignText.Letter], opaque: [Range<Int>])? {
        var result: [ForeignText.Letter] = []
        var opaque: [Range<Int>] = []
        var isEncoded = false
        var index = 0
        while index < letters.count {
            var run: [(byte: UInt8, source: Range<Int>)] = []
            while let byte = self.byte(at: index, in: letters) {
                run.append((byte, letters[index].source.lowerBound..<letters[index + 2].source.upperBound))
                index += 3
            }
            guard let first = run.first, let last = run.last else {
                result.append(letters[index])
                index += 1
                continue
            }
            isEncoded = true
            if let text = String(validating: run.map(\.byte), as: UTF8.self) {
                result += self.letters(of: text, sources: run.map(\.source))
            } else {
                opaque.append(first.source.lowerBound..<last.source.upperBound)
            }
        }
        return isEncoded ? (result, opaque) : nil
    }

    private static func letters(of text: String, sources: [Range<Int>]) -> [ForeignText.Letter] {
        var start = 0
        return text.unicodeScalars.map { scalar in
            let end = start + UTF8.width(scalar)
            defer { start = end }
            return ForeignText.Letter(
                scalar: scalar,
                source: sources[start].lowerBound..<sources[end - 1].upperBound
            )
        }
    }

    private static func byte(at index: Int, in letters: [ForeignText.Letter]) -> UInt8? {
        guard index + 2 < letters.count, letters[index].scalar == "%",
            let high = Character(letters[index + 1].scalar).hexDigitValue,
            let low = Character(letters[index + 2].scalar).hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }
}

import CardModel
import Foundation

/// Removes personal and secret values from a remote's text.
///
/// It masks: every run of six digits and more, whatever separates them, with an X at its end; every sent value and every
/// confidential one, in any case and width and whatever separates its letters; every four consecutive letters of a confidential
/// value of six letters and more, because addresses are quoted in part; and every word with percent-encoded bytes, which may
/// contain anything.
///
/// The values to look for are computed when a text is first shown: most answers show none.
final class MessageMask: Discreet {
    let description = "MessageMask"
    private let delivery: OutboundDelivery
    private lazy var sent = self.delivery.parts.compactMap { part in
        if case .text(let value) = part.content { Self.folded(value.reveal()) } else { nil }
    }
    private lazy var personal = self.delivery.confidential.map { Self.folded($0.reveal()) }
    /// The values and pieces to mask, folded; without single letters, which reveal nothing but are half the text.
    private lazy var secrets = Set((self.sent + self.personal + self.pieces(of: 4)).filter { $0.count > 1 })
    /// The values and pieces that a code must not contain.
    ///
    /// The pieces are longer: four digits easily match a year of birth, and a hidden code cannot be listed.
    private lazy var values = Set((self.sent + self.personal + self.pieces(of: 6)).filter { $0.count >= 4 })

    /// Makes a mask for the values of a delivery.
    init(_ delivery: OutboundDelivery) { self.delivery = delivery }

    private func pieces(of length: Int) -> [[Unicode.Scalar]] {
        self.personal.filter { $0.count >= 6 }.flatMap { value in
            (0...value.count - length).map { Array(value[$0..<$0 + length]) }
        }
    }

    /// Returns a text masked, on one line, and cut to the limit.
    func presentable(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars.prefix(Limits.foreignText.read))
        var isMasked = [Bool](repeating: false, count: scalars.count)
        let letters = scalars.enumerated().flatMap { index, scalar in
            Self.folded(scalar).map { (letter: $0, source: index) }
        }
        func mask(_ range: Range<Int>) {
            for index in letters[range.lowerBound].source...letters[range.upperBound - 1].source {
                isMasked[index] = true
            }
        }
        let folded = letters.map(\.letter)
        let byFirst = Dictionary(grouping: self.secrets) { $0[0] }
        var digits = 0
        for start in folded.indices {
            for secret in byFirst[folded[start]] ?? [] where folded[start...].starts(with: secret) {
                mask(start..<start + secret.count)
            }
            digits = ("0"..."9").contains(folded[start]) ? digits + 1 : 0
            guard digits >= 6 else { continue }
            let hasX = start + 1 < folded.count && folded[start + 1] == "x"
            mask(start + 1 - digits..<start + (hasX ? 2 : 1))
        }
        for word in scalars.indices.split(whereSeparator: { scalars[$0].properties.isWhitespace })
        where Self.isPercentEncoded(scalars[word]) {
            for index in word { isMasked[index] = true }
        }
        return Self.shown(scalars, hiding: isMasked)
    }

    /// Whether a code contains a value of four letters and more, or six letters of a confidential one.
    func holdsValue(_ code: String) -> Bool {
        let folded = Self.folded(code)
        return self.values.contains { folded.contains($0) }
    }

    private static func isPercentEncoded(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        word.indices.dropLast(2).contains { index in
            word[index] == "%" && word[index + 1].properties.isASCIIHexDigit
                && word[index + 2].properties.isASCIIHexDigit
        }
    }

    private static func shown(_ scalars: [Unicode.Scalar], hiding isMasked: [Bool]) -> String {
        var shown = ""
        for (index, scalar) in scalars.enumerated() {
            if isMasked[index] {
                if index == 0 || !isMasked[index - 1] { shown += "…" }
            } else {
                shown += String(scalar).isVisibleLine ? String(scalar) : " "
            }
        }
        return String(shown.trimmed.prefix(Limits.foreignText.shown))
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.flatMap(self.folded) }

    /// Returns the letters and digits of a scalar, in narrow and small form; none for separators.
    private static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        String(scalar).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars.compactMap { letter in
            if letter.properties.numericType == .decimal, let value = letter.properties.numericValue {
                return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
            }
            return letter.properties.isAlphabetic || letter.properties.isIdeographic ? letter : nil
        }
    }
}

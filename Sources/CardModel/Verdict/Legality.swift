/// The verifier's genuineness scores of the photographed card, in 0…1 by class.
///
/// Source: FaceID "ocridcard" documentation, `legality`. If the object is missing or has only zeros, the account is not
/// licensed for scores; this never means that the card is a fake. Unknown classes are stored, since the vendor announces
/// new ones. Their names appear in messages, so a name with unusual characters counts as `other`.
package struct Legality: Hashable, Sendable, Codable {
    /// The class of a genuine card, photographed.
    package static let genuine = "ID Photo"
    /// FaceID v3 puts its threshold among the scores, under this key.
    package static let threshold = "ID Photo Threshold"

    /// The class of all scores whose names have unusual characters.
    package static let other = "other"

    /// The scores by normalised class name.
    package let scores: [String: Double]
    /// The vendor's own threshold, above 0 and at most 1, if the reply carried one.
    package let vendorThreshold: Double?

    private enum CodingKeys: String, CodingKey {
        case scores = "scores"
        case vendorThreshold = "vendorThreshold"
    }

    /// Creates a legality from scores under the vendor's keys.
    ///
    /// If two keys mean the same class, such as `ID Photo` and `ID_Photo`, the score that speaks against the card counts.
    /// A threshold may be among the scores; a threshold of 0 would let every card pass and is ignored.
    ///
    /// Returns `nil`, for unavailable, if there are no scores or all are zero.
    package init?(vendorScores: [String: Double], vendorThreshold: Double? = nil) {
        var scores: [String: Double] = [:]
        for (key, score) in vendorScores {
            let name = Self.normalise(key)
            let other = scores[name] ?? score
            scores[name] = name == Self.genuine ? min(score, other) : max(score, other)
        }
        let listed = scores.removeValue(forKey: Self.threshold)
        guard scores.values.contains(where: { $0 > 0 }) else { return nil }
        self.scores = scores
        self.vendorThreshold = (vendorThreshold ?? listed).flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
    }

    /// The score for the class of a genuine card; 0 if the vendor gave none, even if it scored a temporary card.
    package var genuineScore: Double { self.scores[Self.genuine] ?? 0 }

    /// The class other than genuine with the highest score, the first by name of equal ones; `nil` if all scores are 0.
    package var strongestOtherClass: String? {
        let others = self.scores.filter { $0.key != Self.genuine && $0.value > 0 }
        return others.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// Returns a vendor's class name trimmed and with underscores as spaces; ``other`` unless the name has 1 to 40 ASCII letters,
    /// digits, blanks and dashes. The score under an unusual name still counts: such a name must neither let a card pass nor make
    /// its legality unavailable.
    package static func normalise(_ key: String) -> String {
        let name = key.replacing("_", with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789 -".unicodeScalars.contains(scalar))
        }
        return isPlain && (1...40).contains(name.utf8.count) ? name : self.other
    }
}

/// What a verifier says about the genuineness of the photographed card: scores in 0…1 by class.
///
/// Source: FaceID "ocridcard" documentation, `legality`. Keys are normalised: trimmed, underscores are spaces. A missing object, or zeros alone,
/// means that the key is not licensed for it, never that the card is a fake.
package struct Legality: Hashable, Sendable, Codable {
    /// The class of a genuine card, photographed.
    package static let genuine = "ID Photo"
    /// The class of a photocopy of a genuine card.
    package static let photocopy = "Photocopy"

    /// The scores by normalised class name.
    package let scores: [String: Double]
    /// The vendor's own threshold, if the reply carried one.
    package let vendorThreshold: Double?

    /// Takes scores under the vendor's keys.
    ///
    /// Returns `nil` if there are none or all are zero: unavailable.
    package init?(vendorScores: [String: Double], vendorThreshold: Double? = nil) {
        var scores: [String: Double] = [:]
        for (key, score) in vendorScores {
            scores[Self.normalise(key)] = score
        }
        guard scores.values.contains(where: { $0 > 0 }) else { return nil }
        self.scores = scores
        self.vendorThreshold = vendorThreshold
    }

    /// The score of a genuine card; 0 if the vendor gave none.
    package var genuineScore: Double { self.scores[Self.genuine] ?? 0 }

    /// The class other than genuine that scored highest, ties in alphabetical order.
    package var strongestOtherClass: String? {
        self.scores
            .filter { $0.key != Self.genuine }
            .max { ($0.value, $1.key) < ($1.value, $0.key) }?
            .key
    }

    /// Returns a vendor's class name with its outer white space gone and underscores as spaces.
    package static func normalise(_ key: String) -> String {
        key.replacing("_", with: " ").split(separator: " ").joined(separator: " ")
    }
}

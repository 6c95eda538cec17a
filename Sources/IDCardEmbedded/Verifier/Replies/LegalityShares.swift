/// The likelihood of the five classes as replies give it: three decimals, together 1.
struct LegalityShares {
    /// The shares in the vendor's order: genuine, temporary, photocopy, screen, edited.
    let values: [Double]

    /// Rounds to thousandths; what rounding loses or gains goes to the largest class, so that the sum stays 1.
    init(_ legality: Legality) {
        let shares = [
            legality.idPhoto, legality.temporaryIDPhoto, legality.photocopy, legality.screen, legality.edited,
        ]
        var thousandths = shares.map { Int(($0 * 1000).rounded()) }
        let largest = shares.indices.max { shares[$0] < shares[$1] } ?? 0
        thousandths[largest] += 1000 - thousandths.reduce(0, +)
        self.values = thousandths.map { Double($0) / 1000 }
    }

    /// The shares under a dialect's names, in the vendor's order.
    func named(_ names: [String]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: zip(names, self.values))
    }
}

/// The printed values of a front, found by their ink and told apart by their height on the card.
struct FrontLines: Sendable {
    let name: TextPiece?
    let person: TextPiece?
    let birth: TextPiece?
    let address: TextPiece?

    /// Finds the lines of ink between labels and portrait.
    init(of card: GreyRaster) {
        let window = CardLayout.values.cut(from: card)
        let top = Int(CardLayout.values.y.lowerBound * Double(card.height))
        let rows = TextBandFinder().rows(in: window, gap: card.height / 100, least: card.height / 40)
        func piece(between upper: Double, and lower: Double) -> TextPiece? {
            let lines = rows.filter { row in
                let middle = Double(top + (row.lowerBound + row.upperBound) / 2) / Double(card.height)
                return middle >= upper && middle < lower
            }
            return TextPiece(lines, in: window)
        }
        self.name = piece(between: 0.06, and: 0.200)
        self.person = piece(between: 0.200, and: 0.322)
        self.birth = piece(between: 0.322, and: 0.442)
        self.address = piece(between: 0.442, and: 0.765)
    }
}

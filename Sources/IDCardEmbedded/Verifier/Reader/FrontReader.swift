/// Reads the fields of a rectified front.
struct FrontReader: Sendable {
    private let pieces: PieceReader

    init(tesseract: Tesseract) {
        self.pieces = PieceReader(tesseract: tesseract)
    }

    /// Reads all fields but the number.
    ///
    /// - Parameter card: The card with even light, coloured print faded.
    func fields(of card: GreyRaster) async throws -> CardText.Front {
        let lines = FrontLines(of: card)
        async let name = self.pieces.value(of: lines.name, tastes: LineTaste.lines, parse: FieldText.name)
        async let person = self.pieces.value(of: lines.person, tastes: LineTaste.lines, parse: FieldText.person)
        async let birth = self.pieces.value(of: lines.birth, tastes: LineTaste.lines, parse: FieldText.birth)
        async let address = self.pieces.value(of: lines.address, tastes: LineTaste.blocks, parse: FieldText.address)
        var front = CardText.Front()
        front.name = try await name
        let genderAndEthnicity = try await person
        front.gender = genderAndEthnicity?.gender
        front.ethnicity = genderAndEthnicity?.ethnicity
        front.birth = try await birth
        front.address = try await address
        return front
    }
}

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

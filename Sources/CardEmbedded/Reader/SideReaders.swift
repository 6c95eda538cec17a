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
        async let name = self.pieces.value(of: lines.name, preparations: LinePreparation.lines, parse: FieldText.name)
        async let person = self.pieces.value(
            of: lines.person,
            preparations: LinePreparation.lines,
            parse: FieldText.person
        )
        async let birth = self.pieces.value(
            of: lines.birth,
            preparations: LinePreparation.lines,
            parse: FieldText.birth
        )
        async let address = self.pieces.value(
            of: lines.address,
            preparations: LinePreparation.blocks,
            parse: FieldText.address
        )
        var front = CardText.Front()
        front.name = try await name
        let line = try await person
        front.gender = line?.gender
        front.ethnicity = line?.ethnicity
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

/// Reads the fields of a rectified back.
struct BackReader: Sendable {
    private let tesseract: Tesseract
    private let pieces: PieceReader

    init(tesseract: Tesseract) {
        self.tesseract = tesseract
        self.pieces = PieceReader(tesseract: tesseract)
    }

    /// Reads issuer and validity: the last line of ink is the validity, those above it are the issuer.
    ///
    /// - Parameter card: The card with even light.
    func fields(of card: GreyRaster) async throws -> CardText.Back {
        let window = CardLayout.issuance.cut(from: card)
        let rows = TextBandFinder().rows(in: window, gap: card.height / 100, least: card.height / 40)
        let issuerPiece = TextPiece(rows.dropLast(), in: window)
        let validityPiece = TextPiece(rows.suffix(1), in: window)
        async let issuer = self.pieces.value(
            of: issuerPiece,
            preparations: LinePreparation.blocks,
            parse: FieldText.address
        )
        async let validity = self.validity(of: validityPiece)
        var back = CardText.Back()
        back.issuer = try await issuer
        back.validity = try await validity
        return back
    }

    /// Two dates are read best by the digits' model; 长期 only by the Chinese one.
    private func validity(of piece: TextPiece?) async throws -> String? {
        guard let piece else { return nil }
        for preparation in LinePreparation.lines {
            let picture = preparation.prepared(piece.picture, lineHeight: piece.lineHeight)
            let text = try await self.tesseract.text(
                of: picture,
                language: .digits,
                mode: .line,
                alphabet: "0123456789.-"
            )
            if let period = FieldText.period(text) { return period }
            let chinese = try await self.tesseract.text(of: picture, language: .chinese, mode: .line)
            if let period = FieldText.period(chinese) { return period }
        }
        return nil
    }
}

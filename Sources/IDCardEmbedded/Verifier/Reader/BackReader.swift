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
        async let issuer = self.pieces.value(of: issuerPiece, tastes: LineTaste.blocks, parse: FieldText.address)
        async let validity = self.validity(of: validityPiece)
        var back = CardText.Back()
        back.issuer = try await issuer
        back.validity = try await validity
        return back
    }

    /// Two dates are read best by the digits' model; 长期 only by the Chinese one.
    private func validity(of piece: TextPiece?) async throws -> String? {
        guard let piece else { return nil }
        for taste in LineTaste.lines {
            let picture = taste.prepared(piece.picture, lineHeight: piece.lineHeight)
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

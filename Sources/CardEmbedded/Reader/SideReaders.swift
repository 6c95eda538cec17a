/// Reads the fields of each side of a rectified card.
extension Tesseract {
    /// Reads all fields of a front except the number, from a picture without coloured print: the lines of ink between
    /// labels and portrait, identified by their height on the card.
    func front(of card: Raster) async throws -> CardText.Front {
        let window = CardLayout.values.cut(from: card)
        let top = Int(CardLayout.values.y.lowerBound * Double(card.height))
        let rows = window.linesOfText(gap: card.height / 100, minimumHeight: card.height / 40)
        func piece(_ heights: Range<Double>) -> TextPiece? {
            let lines = rows.filter { row in
                heights.contains(Double(top + (row.lowerBound + row.upperBound) / 2) / Double(card.height))
            }
            return TextPiece(lines, in: window)
        }
        let pieces = (piece(0.06..<0.200), piece(0.200..<0.322), piece(0.322..<0.442), piece(0.442..<0.765))
        async let name = self.value(of: pieces.0, LinePreparation.lines, parse: FieldText.name)
        async let person = self.value(of: pieces.1, LinePreparation.lines, parse: FieldText.person)
        async let birth = self.value(of: pieces.2, LinePreparation.lines, parse: FieldText.birth)
        async let address = self.value(of: pieces.3, LinePreparation.blocks, parse: FieldText.address)
        return try await CardText.Front(
            name: name,
            gender: person?.gender,
            ethnicity: person?.ethnicity,
            birth: birth,
            address: address
        )
    }

    /// Reads issuer and validity: the last line of ink is the validity, those above it are the issuer.
    func back(of card: Raster) async throws -> CardText.Back {
        let window = CardLayout.issuance.cut(from: card)
        let rows = window.linesOfText(gap: card.height / 100, minimumHeight: card.height / 40)
        let (above, last) = (TextPiece(rows.dropLast(), in: window), TextPiece(rows.suffix(1), in: window))
        async let issuer = self.value(of: above, LinePreparation.blocks, parse: FieldText.address)
        async let validity = self.validity(of: last)
        return try await CardText.Back(issuer: issuer, validity: validity)
    }

    /// Reads a validity: the digits' model reads two dates best; only the Chinese model reads 长期.
    private func validity(of piece: TextPiece?) async throws -> String? {
        guard let piece else { return nil }
        for preparation in LinePreparation.lines {
            let picture = preparation.prepared(piece)
            let dates = try await self.text(of: picture, language: .digits, mode: .line, alphabet: "0123456789.-")
            if let period = FieldText.period(dates) { return period }
            let chinese = try await self.text(of: picture, language: .chinese, mode: .line)
            if let period = FieldText.period(chinese) { return period }
        }
        return nil
    }
}

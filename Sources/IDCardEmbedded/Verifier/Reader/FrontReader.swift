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

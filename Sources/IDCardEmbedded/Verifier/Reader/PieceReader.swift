/// Reads one piece of text in several tastes and takes what most give.
struct PieceReader: Sendable {
    let tesseract: Tesseract

    /// Reads until two tastes agree.
    ///
    /// - Parameters:
    ///   - tastes: The ways to prepare the piece, in order.
    ///   - parse: Makes a field of a text; `nil` when it cannot be one.
    /// - Returns: The first value that came twice; else the first value, if there is any.
    func value<Value: Equatable & Sendable>(
        of piece: TextPiece?,
        tastes: [LineTaste],
        parse: @Sendable (String) -> Value?
    ) async throws -> Value? {
        guard let piece else { return nil }
        var values: [Value] = []
        for taste in tastes {
            let picture = taste.prepared(piece.picture, lineHeight: piece.lineHeight)
            let text = try await self.tesseract.text(of: picture, language: .chinese, mode: taste.mode)
            guard let value = parse(text) else { continue }
            if values.contains(value) { return value }
            values.append(value)
        }
        return values.first
    }
}

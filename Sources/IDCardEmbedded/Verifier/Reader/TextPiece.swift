/// Ink cut out of a card: one line, or several lines of one field.
struct TextPiece: Sendable {
    let picture: GreyRaster
    /// The height of the ink of one line, in pixels.
    let lineHeight: Int

    /// Cuts lines out of a window, down to their ink.
    ///
    /// - Parameter rows: The rows of each line, from top to bottom; `nil` comes of none.
    init?(_ rows: [Range<Int>], in window: GreyRaster) {
        guard let first = rows.first, let last = rows.last else { return nil }
        let lines = window.cropped(x: 0..<window.width, y: first.lowerBound..<last.upperBound)
        guard let columns = TextBandFinder().columns(in: lines) else { return nil }
        self.picture = lines.cropped(x: (columns.lowerBound - 2)..<(columns.upperBound + 2), y: 0..<lines.height)
        self.lineHeight = rows.map(\.count).max() ?? lines.height
    }
}

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

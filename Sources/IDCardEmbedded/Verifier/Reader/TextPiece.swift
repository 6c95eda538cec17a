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

/// One way to prepare a piece of text for tesseract.
///
/// Tesseract's Chinese model is touchy about short lines: the same two characters are read at one size and blur and
/// not at another. So a piece is offered in several tastes, and what most of them give is taken.
struct LineTaste: Sendable {
    /// The height of the ink of one line, in pixels.
    let height: Double
    /// Blur, in pixels of the rectified card: it joins what JPEG and the sensor's grain broke.
    let blur: Double
    let mode: Tesseract.PageMode

    /// In the order tried; each was the best of its kind on drawn cards.
    static let lines = [
        LineTaste(height: 30, blur: 1.2, mode: .line),
        LineTaste(height: 24, blur: 1.2, mode: .rawLine),
        LineTaste(height: 24, blur: 1.6, mode: .line),
        LineTaste(height: 24, blur: 2.0, mode: .rawLine),
        LineTaste(height: 40, blur: 1.6, mode: .line),
    ]

    /// For text of one or more lines.
    static let blocks = [
        LineTaste(height: 34, blur: 0.8, mode: .block),
        LineTaste(height: 28, blur: 1.2, mode: .block),
        LineTaste(height: 44, blur: 0.6, mode: .block),
    ]

    /// The piece as tesseract gets it: cut to its ink, black on white, blurred, scaled, with a margin.
    ///
    /// - Parameter lineHeight: The height of the ink of one line in the piece, in pixels.
    func prepared(_ piece: GreyRaster, lineHeight: Int) -> GreyRaster {
        let scale = self.height / Double(max(lineHeight, 1))
        let margin = Int((10 / scale).rounded())
        return piece.stretched().padded(by: margin).blurred(sigma: self.blur).scaled(by: scale)
    }
}

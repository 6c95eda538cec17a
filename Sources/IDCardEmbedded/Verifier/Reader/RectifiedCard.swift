/// A card cut out of a photograph and made rectangular, in the shades the readers want.
struct RectifiedCard: Sendable {
    /// The ways the number line is prepared, one per attempt.
    enum NumberAttempt: Sendable, CaseIterable {
        case first
        case plain
        case smaller
        case larger
        case wide
    }

    let colour: ColourRaster
    /// Grey as the eye sees it, light evened out.
    let flat: GreyRaster
    /// Black ink only, light evened out: labels and guilloche faded.
    let inkOnly: GreyRaster
    /// Grey as the eye sees it.
    let plain: GreyRaster

    init(of photo: ColourRaster, in quad: Quad) {
        self.colour = photo.rectified(quad, width: CardLayout.width, height: CardLayout.height)
        self.plain = self.colour.grey(.luma)
        self.flat = self.plain.flattened(radius: 48)
        self.inkOnly = self.colour.grey(.brightest).flattened(radius: 48)
    }

    /// The line of the number (on a back: of the validity), prepared for one attempt.
    func numberLine(_ attempt: NumberAttempt) -> GreyRaster {
        let window = CardLayout.number
        let found = self.rowsOfNumber
        func cut(_ card: GreyRaster) -> GreyRaster {
            let whole = window.cut(from: card)
            guard let rows = found else { return whole }
            let margin = card.height / 55
            return whole.cropped(
                x: 0..<whole.width,
                y: (rows.lowerBound - margin)..<(rows.upperBound + margin)
            )
        }
        switch attempt {
        case .first: return cut(self.inkOnly)
        case .plain: return cut(self.plain)
        case .smaller: return cut(self.flat).scaled(by: 0.7)
        case .larger: return cut(self.inkOnly).scaled(by: 1.4)
        case .wide: return window.cut(from: self.flat)
        }
    }

    /// The rows, inside the number's window, of the highest line of ink.
    private var rowsOfNumber: Range<Int>? {
        let window = CardLayout.number.cut(from: self.inkOnly)
        let rows = TextBandFinder().rows(in: window, gap: window.height / 40, least: CardLayout.height / 40)
        return rows.filter { $0.count < CardLayout.height / 8 }.max { $0.count < $1.count }
    }
}

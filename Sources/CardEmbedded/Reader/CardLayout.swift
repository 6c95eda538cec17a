/// The layout of a second-generation resident identity card (GA 461), in fractions of its width and height.
///
/// The windows are generous: the reader reads the line of ink found inside, not the whole window.
enum CardLayout {
    struct Window: Sendable {
        let x: ClosedRange<Double>
        let y: ClosedRange<Double>

        /// Returns the window's pixels of a rectified card.
        func cut(from card: Raster) -> Raster {
            let (width, height) = (Double(card.width), Double(card.height))
            return card.cropped(
                x: Int(self.x.lowerBound * width)..<Int(self.x.upperBound * width),
                y: Int(self.y.lowerBound * height)..<Int(self.y.upperBound * height)
            )
        }
    }

    /// The size, in pixels, that a card is rectified to: 85.6 mm by 54 mm at about 15 pixels per millimetre, which
    /// makes its characters 40 to 60 pixels high, a good size for tesseract.
    static let width = 1264
    static let height = 797

    /// The number on a front; the validity on a back.
    static let number = Window(x: 0.29...0.985, y: 0.77...0.975)

    /// All printed values of a front but the number; right of the labels, left of the portrait.
    static let values = Window(x: 0.160...0.625, y: 0.065...0.765)

    /// The issuer and the validity on a back, right of their labels.
    static let issuance = Window(x: 0.365...0.985, y: 0.69...0.965)
}

/// A card cut out of a photograph and rectified, in the grey versions that the readers need.
struct RectifiedCard: Sendable {
    /// The ways the number line is prepared, one per attempt.
    enum NumberAttempt: Sendable, CaseIterable {
        case first, plain, smaller, larger, wide
    }

    let colour: Raster
    /// Perceived brightness, light evened out.
    let flat: Raster
    /// Black ink only, light evened out: labels and guilloche faded.
    let inkOnly: Raster
    /// Perceived brightness.
    let plain: Raster

    init(of photo: Raster, in quad: Quad) {
        self.colour = photo.rectified(quad, width: CardLayout.width, height: CardLayout.height)
        self.plain = self.colour.grey(.luma)
        self.flat = self.plain.flattened(radius: 48)
        self.inkOnly = self.colour.grey(.brightest).flattened(radius: 48)
    }

    /// The line of the number (on a back: of the validity), prepared for one attempt.
    func numberLine(_ attempt: NumberAttempt) -> Raster {
        let window = CardLayout.number
        let found = self.rowsOfNumber
        func cut(_ card: Raster) -> Raster {
            let whole = window.cut(from: card)
            guard let rows = found else { return whole }
            let margin = card.height / 55
            return whole.cropped(x: 0..<whole.width, y: (rows.lowerBound - margin)..<(rows.upperBound + margin))
        }
        switch attempt {
        case .first: return cut(self.inkOnly)
        case .plain: return cut(self.plain)
        case .smaller: return cut(self.flat).scaled(by: 0.7)
        case .larger: return cut(self.inkOnly).scaled(by: 1.4)
        case .wide: return window.cut(from: self.flat)
        }
    }

    /// The rows, inside the number's window, of the tallest line of ink.
    private var rowsOfNumber: Range<Int>? {
        let window = CardLayout.number.cut(from: self.inkOnly)
        let rows = window.linesOfText(gap: window.height / 40, minimumHeight: CardLayout.height / 40)
        return rows.filter { $0.count < CardLayout.height / 8 }.max { $0.count < $1.count }
    }
}

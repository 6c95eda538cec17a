/// Where things stand on a second-generation resident identity card (GA 461), in fractions of its width and height.
///
/// The windows are generous: what is read is the line of ink found inside, not the window.
enum CardLayout {
    /// A part of the card.
    struct Window: Sendable {
        let x: ClosedRange<Double>
        let y: ClosedRange<Double>

        /// The window's pixels of a card that has been rectified.
        func cut(from card: GreyRaster) -> GreyRaster {
            let (width, height) = (Double(card.width), Double(card.height))
            return card.cropped(
                x: Int(self.x.lowerBound * width)..<Int(self.x.upperBound * width),
                y: Int(self.y.lowerBound * height)..<Int(self.y.upperBound * height)
            )
        }
    }

    /// The size, in pixels, that a card is rectified to: 85.6 mm by 54 mm at about 15 pixels per millimetre, which
    /// makes its characters 40 to 60 pixels high, as tesseract likes them.
    static let width = 1264
    static let height = 797

    /// The number on a front; on a back the validity lies there.
    static let number = Window(x: 0.29...0.985, y: 0.77...0.975)

    /// All printed values of a front but the number; right of the labels, left of the portrait.
    static let values = Window(x: 0.160...0.625, y: 0.065...0.765)

    /// The part of a front's portrait, for the reply's `head_rect`.
    static let portrait = Window(x: 0.625...0.935, y: 0.105...0.745)

    /// The issuer and the validity on a back, right of their labels.
    static let issuance = Window(x: 0.365...0.985, y: 0.69...0.965)
}

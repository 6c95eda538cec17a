import Glibc

/// Estimates from the pixels of a rectified card whether the picture shows a genuine card, a copy or a screen.
///
/// Every class follows from two measurements of the picture.
///
/// 1. **Colour.** The card is reduced to 158 pixels (grain and JPEG's colour noise average out), its three colours are
///    scaled to the same mean (grey paper under a yellow lamp is grey), and the mean distance between the strongest and
///    the weakest colour is measured. A card is printed in several colours, a photocopy in one: drawn cards measure 15
///    to 28, copies of them photographed in coloured light at most 7. Below 10 the picture counts as `Photocopy`.
/// 2. **Repetition.** The grids of a screen and of the camera cause moiré: fine detail (pixel minus the mean around it,
///    clipped so that print does not count) repeats after a few pixels. The largest rise of its autocorrelation after a
///    fall, along rows and along columns, is measured. Drawn photographs measure up to 0.12, the same behind a
///    simulated panel 0.4 to 0.9. Above 0.25 the picture counts as `Screen`.
///
/// | colour p = logistic((10 - chroma) / 1.2) | repetition s = logistic((rise - 0.25) / 0.03) |
/// |---|---|
/// | `Photocopy` = p | `Screen` = (1 - p) s |
///
/// `ID Photo` is the remainder. Temporary and edited cards are not detected: these classes are 0.
struct LegalityEstimator: Sendable {
    private static let colourEdge = 158
    private static let longestPeriod = 40
    private static let detailLimit = 12.0

    private enum Direction {
        case rows, columns
    }

    func legality(of card: RectifiedCard) -> Legality {
        let chroma = card.colour.reduced(toLongestEdge: Self.colourEdge).chroma
        let photocopy = Self.logistic((10 - chroma) / 1.2)
        let detail = Self.detail(of: card.plain)
        let repetition = max(
            Self.repetition(of: card.plain, detail: detail, along: .rows),
            Self.repetition(of: card.plain, detail: detail, along: .columns)
        )
        let screen = (1 - photocopy) * Self.logistic((repetition - 0.25) / 0.03)
        return Legality(photocopy: photocopy, screen: screen)
    }

    private static func logistic(_ value: Double) -> Double { 1 / (1 + exp(-value)) }

    /// Returns the largest rise of the autocorrelation of the fine detail after its lowest point so far.
    private static func repetition(of grey: Raster, detail: [Int16], along direction: Direction) -> Double {
        let (width, height) = (grey.width, grey.height)
        let columns = direction == .rows ? max(0, width - self.longestPeriod) : width
        let rows = direction == .columns ? max(0, height - self.longestPeriod) : height
        let products = detail.withUnsafeBufferPointer { detail in
            (0...self.longestPeriod).map { shift in
                let step = direction == .columns ? shift * width : shift
                var sum = 0
                // Every second row suffices.
                for y in stride(from: 0, to: rows, by: 2) {
                    for index in (y * width)..<(y * width + columns) {
                        sum += Int(detail[index]) * Int(detail[index + step])
                    }
                }
                return Double(sum)
            }
        }
        // Without a shift the product is the detail's power.
        guard let power = products.first, power > 0 else { return 0 }
        var lowest = 1.0
        var rise = 0.0
        for product in products.dropFirst() {
            lowest = min(lowest, product / power)
            rise = max(rise, product / power - lowest)
        }
        return rise
    }

    /// Returns the difference of each pixel from its surroundings, in sixteenths of a grey value.
    private static func detail(of grey: Raster) -> [Int16] {
        var detail = [Int16](repeating: 0, count: grey.pixels.count)
        detail.withUnsafeMutableBufferPointer { detail in
            grey.pixels.withUnsafeBufferPointer { pixels in
                grey.forEachMean(radius: 4) { index, mean in
                    let difference = Double(pixels[index]) - mean
                    detail[index] = Int16(min(max(difference, -self.detailLimit), self.detailLimit) * 16)
                }
            }
        }
        return detail
    }
}

/// The probabilities of the vendor's classes that can be detected.
struct Legality: Sendable, Equatable {
    var photocopy: Double
    /// A card photographed from a screen.
    var screen: Double
    /// A genuine card, photographed.
    var idPhoto: Double { 1 - self.photocopy - self.screen }
}

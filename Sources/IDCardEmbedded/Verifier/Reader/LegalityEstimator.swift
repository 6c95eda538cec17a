import CJPEG
import Foundation

/// Judges from the pixels of a rectified card what kind of picture it comes from.
///
/// Two things are measured; both are numbers of the picture, and every class follows from them.
///
/// 1. **Colour.** The card is reduced to 158 pixels (grain and JPEG's colour noise average out), its three colours are
///    scaled to the same mean (grey paper under a yellow lamp is grey), and the mean distance between the strongest and
///    the weakest colour is taken. A card is printed in several colours, a photocopy in one: drawn cards measure 15 to
///    28, copies of them photographed in coloured light at most 7. Below 10 the picture counts as `Photocopy`.
/// 2. **Repetition.** A screen is a grid, and the camera's grid beats with it: fine detail (pixel minus the mean around
///    it, cut off so that print does not count) resembles itself again a few pixels on. The largest rise of its
///    autocorrelation after a fall, along rows and along columns, is taken. Drawn photographs measure up to 0.12,
///    the same behind a simulated panel 0.4 to 0.9. Above 0.25 the picture counts as `Screen`.
///
/// | colour p = logistic((10 - chroma) / 1.2) | repetition s = logistic((rise - 0.25) / 0.03) |
/// |---|---|
/// | `Photocopy` = p | `Screen` = (1 - p) s |
///
/// `ID Photo` is what remains. Nothing here tells a temporary or an edited card: these classes are 0.
struct LegalityEstimator: Sendable {
    private static let colourEdge = 158
    private static let longestPeriod = 40
    private static let detailLimit: Int32 = 12

    /// Judges a card.
    func legality(of card: RectifiedCard) -> Legality {
        let photocopy = Self.logistic((10 - Self.chroma(of: card.colour)) / 1.2)
        let repetition = max(Self.repetition(of: card.plain, along: 0), Self.repetition(of: card.plain, along: 1))
        let screen = (1 - photocopy) * Self.logistic((repetition - 0.25) / 0.03)
        return Legality(
            idPhoto: 1 - photocopy - screen,
            temporaryIDPhoto: 0,
            photocopy: photocopy,
            screen: screen,
            edited: 0
        )
    }

    private static func logistic(_ value: Double) -> Double {
        1 / (1 + exp(-value))
    }

    private static func chroma(of card: ColourRaster) -> Double {
        let small = card.reduced(toLongestEdge: self.colourEdge)
        return small.pixels.withUnsafeBufferPointer { pixels in
            idc_raster_chroma(pixels.baseAddress, small.width * small.height)
        }
    }

    /// The largest rise of the autocorrelation after its lowest point so far; 0 when memory is short.
    private static func repetition(of grey: GreyRaster, along direction: Int32) -> Double {
        var correlation = [Double](repeating: 0, count: self.longestPeriod + 1)
        let status = idc_raster_repetition(
            grey.pixels,
            grey.width,
            grey.height,
            direction,
            self.detailLimit,
            self.longestPeriod,
            &correlation
        )
        guard status == 0 else { return 0 }
        var lowest = 1.0
        var rise = 0.0
        for value in correlation.dropFirst() {
            lowest = min(lowest, value)
            rise = max(rise, value - lowest)
        }
        return rise
    }
}

import CJPEG
import Foundation

/// A 4:2:0 picture stays planes from decoder to encoder: no colour conversion, no chroma upsampling, half the bytes
/// to reduce. At its own size it stays coefficients if it consists of whole blocks, else, upright, it goes through row by
/// row.
extension ImageRecompressor {
    /// Recompresses over planes; nil when the picture must take the path over pixels: another sampling or colour
    /// space, colours to convert, or a budget that no quality meets.
    func recompressPlanes(_ jpeg: JPEGSource) throws(ImagingError) -> Encoded? {
        var header = jpeg.header
        guard idc_jpeg_is_planar(&header) else { return nil }
        let profile: [UInt8]
        switch jpeg.colourConversion() {
        case .none: profile = []
        case .matrix: return nil
        case .keep(let kept): profile = kept
        }
        let plan = DecodePlan.jpeg(jpeg.size, maximumEdge: self.settings.maximumEdge)
        var ladder = self.settings.qualityLadder[...]
        if plan.target == plan.source, jpeg.canStayCoefficients || jpeg.orientation == .upright {
            let quality = ladder.removeFirst()
            let encoding = self.encoding(quality: quality, profile: profile)
            let size = plan.target.oriented(by: jpeg.orientation)
            if let encoded = try self.recode(jpeg, encoding) {
                return Encoded(jpeg: encoded, size: size, quality: quality)
            }
        }
        if ladder.isEmpty { return nil }
        try jpeg.checkMemory(planes: plan)
        return try self.planes.with { planes throws(ImagingError) in
            try planes.decode(jpeg, plan: plan)
            for quality in ladder {
                let encoded = try planes.encode(self.encoding(quality: quality, profile: profile))
                guard let encoded else { continue }
                return Encoded(jpeg: encoded, size: plan.target.oriented(by: jpeg.orientation), quality: quality)
            }
            return nil
        }
    }

    /// Recompresses a picture at its own size; nil when the result would exceed the ceiling.
    private func recode(_ jpeg: JPEGSource, _ encoding: JPEGEncoder.Encoding) throws(ImagingError) -> Data? {
        guard jpeg.canStayCoefficients else { return try JPEGEncoder.recode(jpeg, encoding) }
        return try self.planes.with { planes throws(ImagingError) in try planes.requantize(jpeg, encoding) }
    }

    /// An encoding within the budget.
    func encoding(quality: Int, profile: [UInt8]) -> JPEGEncoder.Encoding {
        JPEGEncoder.Encoding(quality: quality, profile: profile, byteCeiling: self.settings.byteBudget)
    }
}

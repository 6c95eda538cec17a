import CJPEG

/// How a picture gets from its stored size to the target: decoded at a DCT scale, then reduced once.
struct DecodePlan: Hashable, Sendable {
    /// The size as stored.
    var source: PixelSize
    /// Eighths at which libjpeg decodes: 1, 2, 4 or 8; always 8 for PNG.
    var scale: UInt32
    /// The size that comes out of the decoder, at least as large as `target` on both edges.
    var decoded: PixelSize
    /// The size wanted, before orientation.
    var target: PixelSize

    /// Plans a JPEG: the smallest DCT scale that still exceeds the target, so that the last reduction is a true one.
    static func jpeg(_ source: PixelSize, maximumEdge: Int) -> DecodePlan {
        let target = source.fitted(to: maximumEdge)
        let scale = idc_jpeg_scale_for(
            UInt32(source.width),
            UInt32(source.height),
            UInt32(target.width),
            UInt32(target.height)
        )
        let decoded = PixelSize(
            width: Int(idc_jpeg_scaled_edge(UInt32(source.width), scale)),
            height: Int(idc_jpeg_scaled_edge(UInt32(source.height), scale))
        )
        return DecodePlan(source: source, scale: scale, decoded: decoded, target: target)
    }

    /// Plans a PNG, which has no scaled decoding.
    static func png(_ source: PixelSize, maximumEdge: Int) -> DecodePlan {
        DecodePlan(source: source, scale: 8, decoded: source, target: source.fitted(to: maximumEdge))
    }
}

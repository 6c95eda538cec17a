import CImaging

/// Fixed limits of one image, beside ``ImagingSettings``; users need not change them.
struct ImagingLimits: Hashable, Sendable, Codable {
    /// The longest edge of a source (`image_edge_too_long`): libjpeg's own limit.
    var maxSourceEdge = 65_500
    /// The maximum scans of a progressive JPEG (`image_too_many_scans`). Cameras and editors write about ten; each
    /// costs a pass over all coefficients, however few bytes the scan has.
    var maxScans = 100
    /// The maximum bytes that decoding and our own pixels may hold at once (`image_decode_memory`): two workers stay
    /// under 200 MB. Baseline JPEGs and plain PNGs need a few rows, but all rows of a wide picture that becomes tiny; a
    /// progressive JPEG takes 3 bytes per pixel at 4:2:0 (about 33 megapixels fit), an interlaced PNG 4 bytes (about 25
    /// megapixels).
    var maxDecodeBytes = 96 << 20
    /// The longest time of one decoding (`image_decode_time`); 50 megapixels take about 0.2 s.
    var maxDecodeTime = Duration.seconds(10)

    /// Colour profiles beyond this size are dropped: they would use up the byte budget.
    static let maxProfileBytes = 256 << 10
    /// Photos are not made smaller than this many pixels to meet a byte budget: the card would be unreadable.
    static let smallestEdge = 64
    /// Below this many pixels the print on a card can no longer be read, so an endpoint gets no smaller one.
    static let smallestShrunkEdge = 600
    /// Each step towards the byte budget shortens the edges to this share, so that the area roughly halves.
    static let edgeStep = 0.7
    /// The memory of a confined child beside decoding and two copies of the output.
    static let childBytes = 64 << 20
    /// The longest header between this process and its child; messages take a few hundred bytes.
    static let maxHeaderBytes = 16 << 10

    /// The timeout of a child: longer than its own limit of time, even if many share a processor.
    var childTimeout: Duration { self.maxDecodeTime * 3 + .seconds(20) }

    /// The limits as the C code takes them.
    func native(_ settings: ImagingSettings) -> idci_limits {
        idci_limits(
            max_pixels: UInt64(settings.maxPixels),
            max_edge: UInt32(clamping: self.maxSourceEdge),
            max_memory_bytes: UInt64(self.maxDecodeBytes),
            max_scans: UInt32(clamping: self.maxScans),
            max_milliseconds: UInt32(clamping: max(1, Int64(self.maxDecodeTime / .milliseconds(1))))
        )
    }
}

/// What one image from outside may cost; each limit has an error code of its own.
package struct ImagingLimits: Hashable, Sendable {
    /// Most bytes of a source file (`image_too_large_bytes`); 32 MiB.
    package var maximumSourceBytes: Int
    /// Most pixels that the header may claim (`image_too_many_pixels`); 50 million.
    package var maximumPixels: Int
    /// Longest edge that the header may claim, in pixels (`image_edge_too_long`); 65,500 is libjpeg's own limit.
    package var maximumEdge: Int
    /// Most scans of a progressive JPEG (`image_too_many_scans`); 100. Cameras and editors write about ten; each
    /// costs a walk over all coefficients, however few bytes it takes.
    package var maximumScans: Int
    /// Most bytes that decoding and our own pixels may hold at once (`image_decode_memory`); 96 MiB, so that two
    /// workers stay under 200 MB.
    ///
    /// Baseline JPEGs and plain PNGs are streamed and need a few rows. A progressive JPEG needs 3 bytes per pixel
    /// at 4:2:0 (about 33 megapixels fit), an interlaced PNG 4 bytes (about 25 megapixels).
    package var maximumDecodeMemoryBytes: Int
    /// Longest time that decoding may take (`image_decode_time`); 10 s. A 50-megapixel photo takes about 0.2 s.
    package var maximumDecodeTime: Duration

    /// Takes the limits; every one has the default described at its property.
    package init(
        maximumSourceBytes: Int = 32 << 20,
        maximumPixels: Int = 50_000_000,
        maximumEdge: Int = 65_500,
        maximumScans: Int = 100,
        maximumDecodeMemoryBytes: Int = 96 << 20,
        maximumDecodeTime: Duration = .seconds(10)
    ) {
        precondition(
            min(maximumSourceBytes, maximumPixels, maximumEdge, maximumScans, maximumDecodeMemoryBytes) > 0
                && maximumDecodeTime > .zero,
            "every imaging limit must be positive"
        )
        self.maximumSourceBytes = maximumSourceBytes
        self.maximumPixels = maximumPixels
        self.maximumEdge = min(maximumEdge, 65_500)
        self.maximumScans = maximumScans
        self.maximumDecodeMemoryBytes = maximumDecodeMemoryBytes
        self.maximumDecodeTime = maximumDecodeTime
    }
}

/// Settings for recompressing photos, and the limits of their sizes.
package struct ImagingSettings: Hashable, Sendable, Codable {
    /// Whether a photo is always encoded again.
    package enum Recompression: String, Hashable, Sendable, Codable {
        /// Every photo is decoded and encoded.
        case always
        /// A baseline JPEG within edge and byte budget, upright, without metadata or bytes after its end, keeps its
        /// bytes. It is still decoded once, to check that it is complete.
        case whenNeeded = "when_needed"
    }

    /// JPEG quality, 0…1 as in `UIImageJPEGRepresentation`: libjpeg's scale is a hundred times that.
    package var quality = 0.5
    /// The lowest quality tried before the edge is shortened instead, 0…1.
    package var minQuality = 0.3
    /// The longest edge of the output in pixels; smaller photos are never enlarged.
    package var maxEdge = 1600
    /// The maximum bytes of the output; the default leaves 10,000 of two million for the form around it.
    package var byteBudget = 1_990_000
    package var recompress = Recompression.always
    /// The maximum bytes of a source (`image_too_large_bytes`).
    package var maxSourceBytes = 32 << 20
    /// The maximum pixels of a source (`image_too_many_pixels`); a progressive JPEG or an interlaced PNG reaches the
    /// limit of memory first.
    package var maxPixels = 120_000_000

    package init() {}
}

extension ImagingSettings {
    /// The qualities to try in order, in libjpeg's scale 1…100: the configured one, then steps of 10 down to the
    /// lowest.
    var qualityLadder: [Int] {
        let first = Self.libjpegQuality(self.quality)
        return Array(stride(from: first, to: self.lowestQuality, by: -10)) + [self.lowestQuality]
    }

    var lowestQuality: Int { Self.libjpegQuality(min(self.quality, self.minQuality)) }

    private static func libjpegQuality(_ quality: Double) -> Int {
        min(100, max(1, Int((quality * 100).rounded())))
    }
}

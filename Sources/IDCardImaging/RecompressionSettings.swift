/// How a picture is made smaller.
package struct RecompressionSettings: Hashable, Sendable {
    /// When pixels are encoded anew.
    package enum Recompression: String, Hashable, Sendable {
        /// Every picture is decoded and encoded.
        case always
        /// A baseline JPEG that is already within edge and byte budget, upright, without any metadata or bytes after
        /// its end, passes through with identical bytes. It is still decoded once, to know that it is whole.
        case whenNeeded = "when_needed"
    }

    /// JPEG quality, 0…1 as in `UIImageJPEGRepresentation`; default 0.5. See `libjpegQuality`.
    package var quality: Double
    /// The longest edge of the output in pixels; default 1600. Smaller pictures are never enlarged.
    package var maximumEdge: Int
    /// Most bytes of the output; default 1,990,000, which leaves 10,000 for the form around it.
    package var byteBudget: Int
    /// The lowest quality tried before the edge is shortened instead, 0…1; default 0.3.
    package var minimumQuality: Double
    /// When pixels are encoded anew; default always.
    package var recompress: Recompression

    /// Takes the settings; every one has the default described at its property.
    package init(
        quality: Double = 0.5,
        maximumEdge: Int = 1600,
        byteBudget: Int = 1_990_000,
        minimumQuality: Double = 0.3,
        recompress: Recompression = .always
    ) {
        precondition((0...1).contains(quality), "quality must lie in 0…1, is \(quality)")
        precondition((0...1).contains(minimumQuality), "minimumQuality must lie in 0…1, is \(minimumQuality)")
        precondition(maximumEdge > 0, "maximumEdge must be positive, is \(maximumEdge)")
        precondition(byteBudget > 0, "byteBudget must be positive, is \(byteBudget)")
        self.quality = quality
        self.maximumEdge = maximumEdge
        self.byteBudget = byteBudget
        self.minimumQuality = minimumQuality
        self.recompress = recompress
    }

    /// Maps a quality of 0…1 to libjpeg's 1…100: `max(1, round(100 × quality))`.
    ///
    /// | quality | libjpeg |
    /// |---|---|
    /// | 0 | 1 |
    /// | 0.3 | 30 |
    /// | 0.5 | 50 |
    /// | 0.755 | 76 |
    /// | 1 | 100 |
    package static func libjpegQuality(_ quality: Double) -> Int {
        min(100, max(1, Int((quality * 100).rounded())))
    }

    /// The qualities to try in turn, in libjpeg's scale: the configured one, then steps of 10 down to the floor.
    var qualityLadder: [Int] {
        let first = Self.libjpegQuality(self.quality)
        let floor = min(first, Self.libjpegQuality(self.minimumQuality))
        let steps = Array(stride(from: first, to: floor, by: -10))
        return steps + [floor]
    }
}

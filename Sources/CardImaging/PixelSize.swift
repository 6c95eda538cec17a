struct PixelSize: Hashable, Sendable {
    var width: Int
    var height: Int

    static let zero = PixelSize(width: 0, height: 0)

    var pixelCount: Int { self.width * self.height }
    var longestEdge: Int { max(self.width, self.height) }

    /// Returns the largest size of the same shape whose edges are at most `edge`; never larger than this size, and no
    /// edge becomes zero.
    func fitted(to edge: Int) -> PixelSize {
        let longest = self.longestEdge
        guard longest > edge else { return self }
        func scaled(_ length: Int) -> Int { max(1, (length * edge + longest / 2) / longest) }
        return PixelSize(width: scaled(self.width), height: scaled(self.height))
    }

    /// Returns this size after turning upright a picture with this orientation (Exif 2.32, tag 0x0112; 0 if it has
    /// none).
    func turned(by orientation: Int32) -> PixelSize {
        orientation >= 5 ? PixelSize(width: self.height, height: self.width) : self
    }
}

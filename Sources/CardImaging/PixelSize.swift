/// Width and height in pixels.
struct PixelSize: Hashable, Sendable {
    var width: Int
    var height: Int

    var pixelCount: Int { self.width * self.height }
    var longestEdge: Int { max(self.width, self.height) }

    /// The largest size of the same shape whose edges are at most `edge`; never larger than this one, and no edge
    /// becomes zero.
    func fitted(to edge: Int) -> PixelSize {
        let longest = self.longestEdge
        guard longest > edge else { return self }
        func scaled(_ length: Int) -> Int { max(1, (length * edge + longest / 2) / longest) }
        return PixelSize(width: scaled(self.width), height: scaled(self.height))
    }

    /// This size after turning the picture upright.
    func oriented(by orientation: Orientation) -> PixelSize {
        orientation.swapsEdges ? PixelSize(width: self.height, height: self.width) : self
    }
}

/// How the stored pixels must be turned to stand upright (Exif 2.32, tag 0x0112).
enum Orientation: Int32, Sendable, CaseIterable {
    case upright = 1
    case mirrored = 2
    case upsideDown = 3
    case mirroredUpsideDown = 4
    case transposed = 5
    case turnRight = 6
    case transversed = 7
    case turnLeft = 8

    /// Whether width and height change places.
    var swapsEdges: Bool { self.rawValue >= 5 }

    /// Takes the value of a file; anything but 1…8 means upright.
    init(exifValue: Int32) {
        self = Orientation(rawValue: exifValue) ?? .upright
    }
}

/// An Exif orientation: how the stored pixels must be turned to stand upright (Exif 2.32, tag 0x0112).
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

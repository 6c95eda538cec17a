import CImaging
import CardModel
import Glibc

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

/// A picture in memory: interleaved 8-bit RGBX, rows without gaps. Freed with its owner.
struct PixelBuffer: ~Copyable {
    static let bytesPerPixel = 4
    /// What making one takes: the pixels, and their planes before.
    static let bytesPerPixelMade = bytesPerPixel + 3

    let size: PixelSize
    let bytes: UnsafeMutablePointer<UInt8>

    var stride: Int { self.size.width * Self.bytesPerPixel }

    /// Allocates without clearing; throws `image_out_of_memory` when there is none.
    init(size: PixelSize) throws(CodedError) {
        guard let memory = malloc(size.pixelCount * Self.bytesPerPixel) else { throw ImageSubject.outOfMemory }
        self.size = size
        self.bytes = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit {
        free(self.bytes)
    }

    /// Makes a picture of `target` size from source rows as they come, so that the source is never held as a whole.
    ///
    /// - Parameters:
    ///   - orientation: How the picture is turned upright; both sizes are those before.
    ///   - feed: Hands every row from top to bottom to `idci_resampler_push` with the context it is given.
    static func resampled(
        from source: PixelSize,
        to target: PixelSize,
        turned orientation: Orientation = .upright,
        feed: (UnsafeMutableRawPointer) throws(CodedError) -> Void
    ) throws(CodedError) -> PixelBuffer {
        let pixels = try PixelBuffer(size: target.oriented(by: orientation))
        let resampler = idci_resampler_create(
            UInt32(source.width),
            UInt32(source.height),
            UInt32(target.width),
            UInt32(target.height),
            orientation.rawValue,
            pixels.bytes
        )
        guard let resampler else { throw ImageSubject.outOfMemory }
        defer { idci_resampler_destroy(resampler) }
        try feed(UnsafeMutableRawPointer(resampler))
        precondition(idci_resampler_is_complete(resampler), "the decoder gave fewer rows than it announced")
        return pixels
    }

    /// A smaller copy.
    func reduced(to target: PixelSize) throws(CodedError) -> PixelBuffer {
        try PixelBuffer.resampled(from: self.size, to: target) { context in
            for y in 0..<self.size.height {
                _ = idci_resampler_push(context, self.bytes + y * self.stride, UInt32(y))
            }
        }
    }

    /// Converts the colours in place.
    func convert(with transform: idci_colour_transform) {
        withUnsafePointer(to: transform) { idci_pixels_to_srgb(self.bytes, self.size.pixelCount, $0) }
    }
}

/// A picture decoded, reduced and turned upright, but not converted.
struct DecodedImage: ~Copyable {
    let pixels: PixelBuffer
    let colour: ColourConversion
}

import CJPEG
import Glibc

/// A picture in memory: interleaved 8-bit RGBX, rows without gaps. Freed with its owner.
struct PixelBuffer: ~Copyable {
    static let bytesPerPixel = 4

    let size: PixelSize
    let bytes: UnsafeMutablePointer<UInt8>

    var byteCount: Int { self.size.pixelCount * Self.bytesPerPixel }
    var stride: Int { self.size.width * Self.bytesPerPixel }

    /// Allocates without clearing; throws `image_out_of_memory` when there is none.
    init(size: PixelSize) throws(ImagingError) {
        guard let memory = malloc(size.pixelCount * Self.bytesPerPixel) else {
            throw ImagingError(IDC_JPEG_OUT_OF_MEMORY, detail: "\(size.width)×\(size.height) pixels")
        }
        self.size = size
        self.bytes = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit {
        free(self.bytes)
    }

    /// Turns the picture upright.
    consuming func oriented(by orientation: Orientation) throws(ImagingError) -> PixelBuffer {
        if orientation == .upright { return self }
        let turned = try PixelBuffer(size: self.size.oriented(by: orientation))
        idc_pixels_orient(
            self.bytes,
            UInt32(self.size.width),
            UInt32(self.size.height),
            orientation.rawValue,
            turned.bytes
        )
        return turned
    }

    /// Converts the colours in place.
    func convert(with transform: idc_colour_transform) {
        withUnsafePointer(to: transform) { pointer in
            idc_pixels_to_srgb(self.bytes, self.size.pixelCount, pointer)
        }
    }
}

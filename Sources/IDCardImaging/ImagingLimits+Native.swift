import CJPEG
import CPNGReader

extension ImagingLimits {
    /// The limits as the JPEG shim takes them.
    var jpeg: idc_jpeg_limits {
        idc_jpeg_limits(
            max_pixels: UInt64(self.maximumPixels),
            max_edge: UInt32(clamping: self.maximumEdge),
            max_memory_bytes: UInt64(self.maximumDecodeMemoryBytes),
            max_scans: UInt32(clamping: self.maximumScans),
            max_milliseconds: self.maximumDecodeMilliseconds
        )
    }

    /// The limits as the PNG reader takes them.
    var png: idc_png_limits {
        idc_png_limits(
            max_pixels: UInt64(self.maximumPixels),
            max_edge: UInt32(clamping: self.maximumEdge),
            max_memory_bytes: UInt64(self.maximumDecodeMemoryBytes),
            max_milliseconds: self.maximumDecodeMilliseconds
        )
    }

    private var maximumDecodeMilliseconds: UInt32 {
        UInt32(clamping: max(1, Int64(self.maximumDecodeTime / .milliseconds(1))))
    }

    /// Throws `image_decode_memory` when the decoder's need and our own pixels together exceed the limit.
    func checkMemory(decoder: Int, target: PixelSize, orientation: Orientation) throws(ImagingError) {
        let pictures = orientation == .upright ? 1 : 2
        try self.checkMemory(decoder: decoder, pixels: target.pixelCount * PixelBuffer.bytesPerPixel * pictures)
    }

    /// Throws `image_decode_memory` when the decoder's need and the bytes of our own pixels together exceed the limit.
    func checkMemory(decoder: Int, pixels: Int) throws(ImagingError) {
        let needed = decoder + pixels
        guard needed <= self.maximumDecodeMemoryBytes else {
            let message = """
                image too large to process: \(needed) bytes of memory needed, \(self.maximumDecodeMemoryBytes) \
                allowed: supply a smaller one or lower the longest edge
                """
            throw ImagingError(code: .decodeMemory, message: message)
        }
    }
}

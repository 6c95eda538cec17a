import CJPEG
import Foundation

/// Encodes pictures as baseline JPEG, 4:2:0, three components, without metadata.
enum JPEGEncoder {
    /// Encodes at a libjpeg quality; nil when the result would exceed the ceiling.
    static func encode(
        _ pixels: borrowing PixelBuffer,
        quality: Int,
        profile: [UInt8],
        byteCeiling: Int
    ) throws(ImagingError) -> Data? {
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let size = pixels.size
        let source = pixels.bytes
        let stride = pixels.stride
        let outcome = profile.withUnsafeBufferPointer { profile in
            var encoding = idc_jpeg_encoding()
            encoding.quality = Int32(quality)
            encoding.subsample_chroma = true
            encoding.byte_ceiling = byteCeiling
            encoding.icc = profile.baseAddress
            encoding.icc_count = profile.count
            return withNativeMessage { message, capacity in
                idc_jpeg_encode(
                    source,
                    UInt32(size.width),
                    UInt32(size.height),
                    stride,
                    IDC_JPEG_RGBX,
                    &encoding,
                    &encoded,
                    &count,
                    message,
                    capacity
                )
            }
        }
        if outcome.status == IDC_JPEG_OVER_CEILING { return nil }
        guard outcome.status == IDC_JPEG_OK, let encoded else {
            throw ImagingError(outcome.status, detail: outcome.message)
        }
        // Handed over without a copy.
        return Data(
            bytesNoCopy: encoded,
            count: count,
            deallocator: .custom { bytes, _ in
                idc_jpeg_free(bytes.assumingMemoryBound(to: UInt8.self))
            }
        )
    }
}

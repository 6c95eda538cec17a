import CJPEG
import Foundation

/// Encodes pictures as baseline JPEG, 4:2:0, three components, without metadata.
enum JPEGEncoder {
    /// How a picture is encoded.
    struct Encoding {
        /// 1…100 in libjpeg's scale.
        var quality: Int
        /// An ICC profile to embed, or nothing.
        var profile: [UInt8]
        /// The largest result in bytes.
        var byteCeiling: Int
    }

    /// An encoder of the shim: its encoding, where its result goes, and its message.
    typealias NativeEncoder = (
        UnsafePointer<idc_jpeg_encoding>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        UnsafeMutablePointer<Int>, UnsafeMutablePointer<CChar>?, Int
    ) -> idc_jpeg_status

    /// Encodes at a libjpeg quality; nil when the result would exceed the ceiling.
    static func encode(_ pixels: borrowing PixelBuffer, _ encoding: Encoding) throws(ImagingError) -> Data? {
        let size = pixels.size
        let source = pixels.bytes
        let stride = pixels.stride
        return try Self.collect(encoding) { native, out, count, message, capacity in
            idc_jpeg_encode(
                source,
                UInt32(size.width),
                UInt32(size.height),
                stride,
                IDC_JPEG_RGBX,
                native,
                out,
                count,
                message,
                capacity
            )
        }
    }

    /// Decodes a planar picture and encodes it at the same size, row after row; nil when the result would exceed the
    /// ceiling. Orientation is not applied.
    static func recode(_ jpeg: JPEGSource, _ encoding: Encoding) throws(ImagingError) -> Data? {
        var limits = jpeg.limits.jpeg
        return try Self.collect(encoding) { native, out, count, message, capacity in
            idc_jpeg_recode(
                jpeg.bytes.baseAddress,
                jpeg.bytes.count,
                &limits,
                native,
                out,
                count,
                message,
                capacity
            )
        }
    }

    /// Runs an encoder and takes over its result without a copy; nil when it would exceed the ceiling.
    static func collect(_ encoding: Encoding, _ encoder: NativeEncoder) throws(ImagingError) -> Data? {
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let outcome = encoding.profile.withUnsafeBufferPointer { profile in
            var native = idc_jpeg_encoding()
            native.quality = Int32(encoding.quality)
            native.subsample_chroma = true
            native.byte_ceiling = encoding.byteCeiling
            native.icc = profile.baseAddress
            native.icc_count = profile.count
            return withNativeMessage { message, capacity in
                encoder(&native, &encoded, &count, message, capacity)
            }
        }
        if outcome.status == IDC_JPEG_OVER_CEILING { return nil }
        guard outcome.status == IDC_JPEG_OK, let encoded else {
            throw ImagingError(outcome.status, detail: outcome.message)
        }
        return Data(
            bytesNoCopy: encoded,
            count: count,
            deallocator: .custom { bytes, _ in
                idc_jpeg_free(bytes.assumingMemoryBound(to: UInt8.self))
            }
        )
    }
}

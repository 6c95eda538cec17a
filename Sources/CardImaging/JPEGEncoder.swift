import CImaging
import CardModel
import Foundation

/// Encodes a picture as baseline JPEG, 4:2:0, three components, without metadata.
struct JPEGEncoder {
    /// 1…100 in libjpeg's scale.
    var quality: Int
    /// An ICC profile to embed, or nothing.
    var profile: [UInt8]
    var byteCeiling: Int

    /// An encoder in C with its parameters, the result and its length, and the message buffer and its capacity.
    private typealias NativeEncoder = (
        UnsafePointer<idci_jpeg_encoding>, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        UnsafeMutablePointer<Int>, UnsafeMutablePointer<CChar>?, Int
    ) -> idci_status

    /// Encodes planes; nil when the result would exceed the ceiling.
    func encode(_ planes: borrowing Planes, of subject: ImageSubject) throws(CodedError) -> Data? {
        let native = planes.native
        return try self.collect(subject) { encoding, out, count, message, capacity in
            idci_jpeg_encode_planes(native, encoding, out, count, message, capacity)
        }
    }

    /// Transcodes a picture in the DCT domain and turns it upright; nil when the result would exceed the ceiling.
    func requantize(_ jpeg: PhotoSource) throws(CodedError) -> Data? {
        var limits = jpeg.limits
        let (start, size, orientation) = (jpeg.bytes.baseAddress, jpeg.bytes.count, jpeg.orientation)
        return try self.collect(jpeg.subject) { encoding, out, count, message, capacity in
            idci_jpeg_requantize(start, size, &limits, orientation, encoding, out, count, message, capacity)
        }
    }

    /// Runs an encoder and returns its result without a copy.
    private func collect(_ subject: ImageSubject, _ encoder: NativeEncoder) throws(CodedError) -> Data? {
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        let (status, detail) = self.profile.withUnsafeBufferPointer { profile in
            var encoding = idci_jpeg_encoding()
            encoding.quality = Int32(self.quality)
            encoding.byte_ceiling = self.byteCeiling
            encoding.icc = profile.baseAddress
            encoding.icc_count = profile.count
            return ImageSubject.run { message, capacity in encoder(&encoding, &encoded, &count, message, capacity) }
        }
        if status == IDCI_OVER_CEILING { return nil }
        guard status == IDCI_OK, let encoded else { throw subject.refusal(status, detail) }
        return Data(bytesNoCopy: encoded, count: count, deallocator: .free)
    }
}

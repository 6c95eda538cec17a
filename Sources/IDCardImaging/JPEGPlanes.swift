import CJPEG
import Foundation
import Synchronization

/// Luma and chroma planes or coefficients with their tables, used again from picture to picture.
final class JPEGPlanes {
    /// What a turned picture takes that stays coefficients: 4:2:0 has 1.5 of two bytes each.
    static let coefficientBytesPerPixel = 3

    fileprivate let native: OpaquePointer

    /// The memory they hold, in bytes.
    var byteCount: Int { idc_jpeg_planes_size(self.native) }

    init() throws(ImagingError) {
        guard let native = idc_jpeg_planes_create() else {
            throw ImagingError(IDC_JPEG_OUT_OF_MEMORY, detail: "planes")
        }
        self.native = native
    }

    deinit {
        idc_jpeg_planes_destroy(self.native)
    }

    /// Decodes at the planned scale, reduces to the target and turns upright.
    func decode(_ jpeg: JPEGSource, plan: DecodePlan) throws(ImagingError) {
        var limits = jpeg.limits.jpeg
        var native = idc_jpeg_plan(
            scale: plan.scale,
            target_width: UInt32(plan.target.width),
            target_height: UInt32(plan.target.height),
            orientation: jpeg.orientation.rawValue
        )
        let outcome = withNativeMessage { message, capacity in
            idc_jpeg_decode_planes(
                jpeg.bytes.baseAddress,
                jpeg.bytes.count,
                &limits,
                &native,
                self.native,
                message,
                capacity
            )
        }
        guard outcome.status == IDC_JPEG_OK else { throw ImagingError(outcome.status, detail: outcome.message) }
    }

    /// Recompresses a picture at its own size and turns it upright, without pixels; nil when the result would exceed the
    /// ceiling. For pictures that can stay coefficients.
    func requantize(_ jpeg: JPEGSource, _ encoding: JPEGEncoder.Encoding) throws(ImagingError) -> Data? {
        var limits = jpeg.limits.jpeg
        return try JPEGEncoder.collect(encoding) { native, out, count, message, capacity in
            idc_jpeg_requantize(
                jpeg.bytes.baseAddress,
                jpeg.bytes.count,
                &limits,
                jpeg.orientation.rawValue,
                native,
                self.native,
                out,
                count,
                message,
                capacity
            )
        }
    }

    /// Encodes what was decoded; nil when the result would exceed the ceiling.
    func encode(_ encoding: JPEGEncoder.Encoding) throws(ImagingError) -> Data? {
        try JPEGEncoder.collect(encoding) { native, out, count, message, capacity in
            idc_jpeg_encode_planes(self.native, native, out, count, message, capacity)
        }
    }
}

/// Planes that wait for the next picture: as many as were in use at once.
///
/// A page of fresh memory costs more than filling it, and a picture of 12 megapixels has thousands.
final class JPEGPlanesPool: Sendable {
    /// Planes larger than this are not kept: one huge picture must not hold its memory for good; 40 MiB,
    /// which 12 megapixels take that are turned as coefficients.
    private static let largestKept = 40 << 20

    /// Safe as only one thread has any of them: they are taken out of the list for as long as they are used.
    private struct Kept: @unchecked Sendable {
        let planes: JPEGPlanes
    }

    private let waiting = Mutex<[Kept]>([])

    /// Lends planes for the time of a call.
    func with<Value>(_ body: (JPEGPlanes) throws(ImagingError) -> Value) throws(ImagingError) -> Value {
        let kept = self.waiting.withLock { $0.popLast() }
        let planes = if let kept { kept.planes } else { try JPEGPlanes() }
        defer {
            if planes.byteCount <= Self.largestKept {
                let kept = Kept(planes: planes)
                self.waiting.withLock { $0.append(kept) }
            }
        }
        return try body(planes)
    }
}

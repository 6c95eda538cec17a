import CImaging
import CardModel

/// Luma and chroma of one picture, 4:2:0, reduced and upright: the format between decoders and the encoder.
struct Planes: ~Copyable {
    let size: PixelSize
    let native: OpaquePointer

    deinit { idci_planes_destroy(self.native) }

    func reduced(to size: PixelSize) throws(CodedError) -> Planes {
        let native = idci_planes_reduced(self.native, UInt32(size.width), UInt32(size.height))
        guard let native else { throw ImageSubject.outOfMemory }
        return Planes(size: size, native: native)
    }

    func convert(with transform: idci_colour_transform) {
        withUnsafePointer(to: transform) { idci_planes_to_srgb(self.native, $0) }
    }
}

extension Planes {
    /// Makes the planes of a picture that is reduced to `target` (before orientation) and turned upright.
    ///
    /// - Parameters:
    ///   - scale: The scale of the decoder in eighths.
    ///   - decode: Decodes into the given planes.
    /// - Throws: `image_decode_memory` when decoding, reducing and the planes together exceed the limit; the refusals
    ///   of `decode`.
    init(
        of subject: ImageSubject,
        target: PixelSize,
        turned orientation: Int32,
        scale: UInt32 = 8,
        decode: (OpaquePointer, UnsafeMutablePointer<CChar>?, Int) -> idci_status
    ) throws(CodedError) {
        var reduction = idci_reduction(
            width: UInt32(subject.size.width),
            height: UInt32(subject.size.height),
            scale: scale,
            target_width: UInt32(target.width),
            target_height: UInt32(target.height),
            orientation: orientation
        )
        let needed = subject.decodeBytes + Int(idci_planes_memory(&reduction))
        guard needed <= subject.limits.maxDecodeBytes else { throw subject.refusal(IDCI_TOO_MUCH_MEMORY, "") }
        guard let native = idci_planes_create(&reduction) else { throw ImageSubject.outOfMemory }
        let (status, detail) = ImageSubject.run { decode(native, $0, $1) }
        guard status == IDCI_OK else {
            idci_planes_destroy(native)
            throw subject.refusal(status, detail)
        }
        self.init(size: target.turned(by: orientation), native: native)
    }
}

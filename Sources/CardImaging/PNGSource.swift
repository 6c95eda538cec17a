import CImaging
import CardModel
import Glibc

/// A PNG in memory and its parsed chunks. The bytes must outlive it.
struct PNGSource {
    let bytes: UnsafeBufferPointer<UInt8>
    let subject: ImageSubject
    let header: idci_png_header

    /// Reads IHDR, walks the chunks and checks the limits.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        settings: ImagingSettings,
        limits: ImagingLimits
    ) throws(CodedError) {
        var subject = ImageSubject(format: .png, settings: settings, limits: limits)
        var native = limits.native(settings)
        var header = idci_png_header()
        let (status, detail) = ImageSubject.run { message, capacity in
            idci_png_read_header(bytes.baseAddress, bytes.count, &native, &header, message, capacity)
        }
        subject.size = PixelSize(width: Int(header.width), height: Int(header.height))
        subject.decodeBytes = Int(clamping: header.decode_memory)
        guard status == IDCI_OK else { throw subject.refusal(status, detail) }
        self.bytes = bytes
        self.subject = subject
        self.header = header
    }

    /// Decodes row by row, flattens transparency on white and reduces to the target; stores an embedded ICC profile in
    /// `profile`.
    func decode(to target: PixelSize, profile: inout [UInt8]) throws(CodedError) -> Planes {
        var limits = self.subject.limits.native(self.subject.settings)
        var embedded: UnsafeMutablePointer<UInt8>?
        var size = 0
        defer { free(embedded) }
        let planes = try Planes(of: self.subject, target: target, turned: self.header.orientation) {
            let (start, count) = (self.bytes.baseAddress, self.bytes.count)
            return idci_png_decode_planes(start, count, &limits, $0, &embedded, &size, $1, $2)
        }
        if let embedded { profile = Array(UnsafeBufferPointer(start: embedded, count: size)) }
        return planes
    }
}

import CImaging
import CardModel
import Glibc

/// A PNG in memory and what its chunks say. The bytes must outlive it.
struct PNGSource {
    let bytes: UnsafeBufferPointer<UInt8>
    let subject: ImageSubject
    let header: idci_png_header

    /// The orientation in the eXIf chunk (PNG third edition, section 11.3.4.5), or in the text form that came before
    /// it.
    var orientation: Orientation { Orientation(exifValue: self.header.orientation) }

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

    /// Decodes row by row, flattens transparency on white and reduces to the target.
    func decode() throws(CodedError) -> DecodedImage {
        let source = self.subject.size
        let target = source.fitted(to: self.subject.settings.maxEdge)
        let made = target.pixelCount * PixelBuffer.bytesPerPixelMade
        try self.subject.checkMemory(pixels: made, reducing: source, to: target)
        var colour = ColourConversion.none
        let pixels = try PixelBuffer.resampled(
            from: source,
            to: target,
            turned: self.orientation
        ) { context throws(CodedError) in
            colour = try self.decodeRows(context: context)
        }
        return DecodedImage(pixels: pixels, colour: colour)
    }

    private func decodeRows(context: UnsafeMutableRawPointer) throws(CodedError) -> ColourConversion {
        var limits = self.subject.limits.native(self.subject.settings)
        var profile: UnsafeMutablePointer<UInt8>?
        var size = 0
        defer { free(profile) }
        let (start, count) = (self.bytes.baseAddress, self.bytes.count)
        try self.subject.check { message, capacity in
            let push: idci_row_function = idci_resampler_push
            return idci_png_read_rows(start, count, &limits, push, context, &profile, &size, message, capacity)
        }
        guard let profile, size <= ImagingLimits.maxProfileBytes else { return .none }
        return ColourConversion(profile: Array(UnsafeBufferPointer(start: profile, count: size)))
    }
}

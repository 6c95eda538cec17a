import CImaging
import CardModel
import Glibc

/// A JPEG or PNG in memory and its parsed header. The bytes must outlive it.
struct PhotoSource {
    /// Memory for transcoding a rotated picture: 4:2:0 has 1.5 coefficients per pixel, of two bytes each.
    private static let coefficientBytesPerPixel = 3

    let bytes: UnsafeBufferPointer<UInt8>
    let subject: ImageSubject
    let header: idci_header

    var size: PixelSize { self.subject.size }
    var orientation: Int32 { self.header.orientation }
    var limits: idci_limits { self.subject.limits.native(self.subject.settings) }

    /// Reads the header and checks it against the limits.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        format: ImageFormat,
        settings: ImagingSettings,
        limits: ImagingLimits
    ) throws(CodedError) {
        var subject = ImageSubject(format: format, settings: settings, limits: limits)
        var native = limits.native(settings)
        var header = idci_header()
        let read = format == .png ? idci_png_read_header : idci_jpeg_read_header
        let (status, detail) = ImageSubject.run { read(bytes.baseAddress, bytes.count, &native, &header, $0, $1) }
        subject.size = PixelSize(width: Int(header.width), height: Int(header.height))
        subject.decodeBytes = Int(clamping: header.decode_memory)
        guard status == IDCI_OK else { throw subject.refusal(status, detail) }
        (self.bytes, self.subject, self.header) = (bytes, subject, header)
    }

    /// Whether the bytes may be sent unchanged; those of a PNG never.
    func isAcceptableAsIs(_ settings: ImagingSettings) -> Bool {
        let clean = !self.header.has_metadata && !self.header.has_trailing_bytes && self.header.orientation == 0
        return settings.recompress == .whenNeeded && self.header.baseline && self.header.plain_colours && clean
            && self.size.longestEdge <= settings.maxEdge && self.bytes.count <= settings.byteBudget
    }

    /// Whether the picture can be transcoded in the DCT domain within the memory limit; a PNG cannot.
    var canStayCoefficients: Bool {
        guard self.header.requantizable else { return false }
        // Orientations up to 2 read the rows in order; for all others the whole picture is held.
        let isHeld = self.orientation > 2
        let held = isHeld ? self.size.pixelCount * Self.coefficientBytesPerPixel : 0
        return self.subject.decodeBytes + held <= self.subject.limits.maxDecodeBytes
    }

    /// Decodes and drops the pixels, to check that the picture is complete.
    func checkThatItDecodes() throws(CodedError) {
        var limits = self.limits
        try self.subject.check { message, capacity in
            idci_jpeg_decode(self.bytes.baseAddress, self.bytes.count, &limits, 1, nil, 0, message, capacity)
        }
    }

    /// Decodes and reduces the picture, a JPEG at the smallest DCT scale that is not below the target. The profile of a PNG is
    /// read with its pixels, and determines `colour`.
    func decode(to target: PixelSize, _ colour: inout ColourConversion) throws(CodedError) -> Planes {
        var limits = self.limits
        let (start, count) = (self.bytes.baseAddress, self.bytes.count)
        guard self.subject.format == .png else {
            let (width, height) = (UInt32(target.width), UInt32(target.height))
            let scale = idci_jpeg_scale_for(self.header.width, self.header.height, width, height)
            return try Planes(of: self.subject, target: target, turned: self.orientation, scale: scale) {
                idci_jpeg_decode_planes(start, count, &limits, $0, $1, $2)
            }
        }
        var profile: UnsafeMutablePointer<UInt8>?
        var size = 0
        defer { free(profile) }
        let planes = try Planes(of: self.subject, target: target, turned: self.orientation) {
            idci_png_decode_planes(start, count, &limits, $0, &profile, &size, $1, $2)
        }
        colour = ColourConversion(profile: Array(UnsafeBufferPointer(start: profile, count: size)))
        return planes
    }

    /// The conversion by the profile of a JPEG; only a JPEG of three components can have an RGB profile for its pixels.
    func colourConversion() -> ColourConversion {
        let size = self.header.icc_bytes
        guard self.header.components == 3, (1...ImagingLimits.maxProfileBytes).contains(size) else { return .none }
        var profile = [UInt8](repeating: 0, count: size)
        guard idci_jpeg_copy_icc(self.bytes.baseAddress, self.bytes.count, &profile, size) else { return .none }
        return ColourConversion(profile: profile)
    }
}

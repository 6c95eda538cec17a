import CJPEG
import CPNGReader

/// A PNG in memory and what its chunks say. The bytes must outlive it.
struct PNGSource {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: ImagingLimits
    let header: idc_png_header

    var size: PixelSize { PixelSize(width: Int(self.header.width), height: Int(self.header.height)) }

    /// The orientation in the eXIf chunk, if any (PNG third edition, section 11.3.4.5).
    var orientation: Orientation {
        guard let start = self.bytes.baseAddress else { return .upright }
        return Orientation(exifValue: idc_exif_orientation(start + self.header.exif_offset, self.header.exif_count))
    }

    /// Reads IHDR, walks the chunks and checks the limits.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: ImagingLimits) throws(ImagingError) {
        var native = limits.png
        var header = idc_png_header()
        let outcome = withNativeMessage { message, capacity in
            idc_png_read_header(bytes.baseAddress, bytes.count, &native, &header, message, capacity)
        }
        guard outcome.status == IDC_PNG_OK else {
            throw ImagingError(outcome.status, detail: Self.detail(outcome.message, header: header))
        }
        self.bytes = bytes
        self.limits = limits
        self.header = header
    }

    /// Decodes row by row, flattens transparency on white and reduces to the target.
    func decode(maximumEdge: Int) throws(ImagingError) -> DecodedImage {
        let plan = DecodePlan.png(self.size, maximumEdge: maximumEdge)
        let decoder = self.size.width * 24 + (self.header.interlaced ? self.size.pixelCount * 4 : 0)
        try self.limits.checkMemory(decoder: decoder, target: plan.target, orientation: self.orientation)
        var colour = ColourConversion.none
        let pixels = try PixelBuffer.resampled(from: plan.decoded, to: plan.target) {
            context throws(ImagingError) in
            colour = try self.decodeRows(context: context)
        }
        return DecodedImage(pixels: pixels, sourceSize: self.size, orientation: self.orientation, colour: colour)
    }

    private func decodeRows(context: UnsafeMutableRawPointer) throws(ImagingError) -> ColourConversion {
        var native = self.limits.png
        var profile: UnsafeMutablePointer<UInt8>?
        var profileSize = 0
        defer { idc_png_free(profile) }
        let outcome = withNativeMessage { message, capacity in
            idc_png_read_rows(
                self.bytes.baseAddress,
                self.bytes.count,
                &native,
                idc_resampler_push,
                context,
                &profile,
                &profileSize,
                message,
                capacity
            )
        }
        guard outcome.status == IDC_PNG_OK else {
            throw ImagingError(outcome.status, detail: Self.detail(outcome.message, header: self.header))
        }
        guard let profile, profileSize <= ColourConversion.maximumProfileBytes else { return .none }
        return ColourConversion(profile: Array(UnsafeBufferPointer(start: profile, count: profileSize)))
    }

    private static func detail(_ message: String, header: idc_png_header) -> String {
        header.width > 0 ? "\(header.width)x\(header.height) pixels: \(message)" : message
    }
}

import CJPEG

/// A JPEG in memory and what its header says. The bytes must outlive it.
struct JPEGSource {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: ImagingLimits
    let header: idc_jpeg_header

    var size: PixelSize { PixelSize(width: Int(self.header.width), height: Int(self.header.height)) }
    var orientation: Orientation { Orientation(exifValue: self.header.orientation) }

    /// Reads the header and checks it against the limits.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: ImagingLimits) throws(ImagingError) {
        var native = limits.jpeg
        var header = idc_jpeg_header()
        let outcome = withNativeMessage { message, capacity in
            idc_jpeg_read_header(bytes.baseAddress, bytes.count, &native, &header, message, capacity)
        }
        guard outcome.status == IDC_JPEG_OK else {
            throw ImagingError(outcome.status, detail: outcome.message)
        }
        self.bytes = bytes
        self.limits = limits
        self.header = header
    }

    /// Whether the bytes may be sent as they are.
    func isAcceptableAsIs(_ settings: RecompressionSettings) -> Bool {
        let colours = self.header.space == IDC_JPEG_SPACE_YCC || self.header.space == IDC_JPEG_SPACE_GREY
        let clean = !self.header.has_metadata && !self.header.has_trailing_bytes && self.header.orientation == 0
        return settings.recompress == .whenNeeded && self.header.baseline && colours && clean
            && self.size.longestEdge <= settings.maximumEdge && self.bytes.count <= settings.byteBudget
    }

    /// Whether it can be recompressed at its own size without becoming pixels, within the memory that is allowed.
    var canStayCoefficients: Bool {
        var header = self.header
        guard idc_jpeg_is_requantizable(&header) else { return false }
        // These two turns read the rows in their order; for all others the whole picture is held.
        let isHeld = self.orientation != .upright && self.orientation != .mirrored
        let held = isHeld ? self.size.pixelCount * JPEGPlanes.coefficientBytesPerPixel : 0
        return Int(clamping: self.header.decode_memory) + held <= self.limits.maximumDecodeMemoryBytes
    }

    /// Decodes without keeping a pixel, to know that the picture is whole.
    func checkThatItDecodes() throws(ImagingError) {
        try self.decodeRows(scale: 1, into: { _, _, _ in true }, context: nil)
    }

    /// Throws `image_decode_memory` when decoding and the planes together exceed the limit.
    func checkMemory(planes plan: DecodePlan) throws(ImagingError) {
        try self.limits.checkMemory(
            decoder: Int(clamping: self.header.decode_memory),
            pixels: plan.target.pixelCount * 3 / 2
        )
    }

    /// Decodes at the planned scale and reduces to the target.
    func decode(maximumEdge: Int) throws(ImagingError) -> DecodedImage {
        let plan = DecodePlan.jpeg(self.size, maximumEdge: maximumEdge)
        try self.limits.checkMemory(
            decoder: Int(clamping: self.header.decode_memory),
            target: plan.target,
            orientation: self.orientation
        )
        let pixels = try PixelBuffer.resampled(from: plan.decoded, to: plan.target) {
            context throws(ImagingError) in
            try self.decodeRows(scale: plan.scale, into: idc_resampler_push, context: context)
        }
        return DecodedImage(
            pixels: pixels,
            sourceSize: self.size,
            orientation: self.orientation,
            colour: self.colourConversion()
        )
    }

    private func decodeRows(
        scale: UInt32,
        into row: idc_row_function,
        context: UnsafeMutableRawPointer?
    ) throws(ImagingError) {
        var native = self.limits.jpeg
        let outcome = withNativeMessage { message, capacity in
            idc_jpeg_decode_rows(
                self.bytes.baseAddress,
                self.bytes.count,
                &native,
                IDC_JPEG_RGBX,
                scale,
                row,
                context,
                message,
                capacity
            )
        }
        guard outcome.status == IDC_JPEG_OK else {
            throw ImagingError(outcome.status, detail: outcome.message)
        }
    }

    /// Only pictures coded in three components can carry an RGB profile that applies to our pixels.
    func colourConversion() -> ColourConversion {
        let size = self.header.icc_bytes
        guard self.header.components == 3, size > 0, size <= ColourConversion.maximumProfileBytes else { return .none }
        var profile = [UInt8](repeating: 0, count: size)
        guard idc_jpeg_copy_icc(self.bytes.baseAddress, self.bytes.count, &profile, size) else { return .none }
        return ColourConversion(profile: profile)
    }
}

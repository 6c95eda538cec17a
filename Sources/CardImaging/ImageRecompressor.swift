package import CardModel
package import Foundation

/// Turns a photo of a card into the JPEG that is verified and delivered.
///
/// The picture is decoded (at a DCT scale when the target allows), reduced, turned upright, converted to sRGB and
/// encoded as baseline JPEG without metadata; one that keeps its size is only quantised again, if it can be. All of it
/// is synchronous work of a few to a hundred milliseconds: call it on a pool of threads.
///
/// ```swift
/// let image = try ImageRecompressor(settings: ImagingSettings()).prepare(photo)
/// ```
package struct ImageRecompressor: Sendable {
    let settings: ImagingSettings
    var limits = ImagingLimits()
    /// What an isolated decoding executes: the binary that runs, even if its file has been replaced since.
    var command = ["/proc/self/exe", DecodingChild.argument]

    /// Takes settings whose ranges the configuration has checked.
    package init(settings: ImagingSettings) {
        precondition(
            0...1 ~= settings.quality && 0...1 ~= settings.minQuality && settings.maxEdge > 0
                && settings.byteBudget > 0 && settings.maxSourceBytes > 0 && settings.maxPixels > 0,
            "qualities must lie in 0…1 and sizes must be positive: \(settings)"
        )
        self.settings = settings
    }

    /// Prepares a JPEG or PNG file's content. The byte budget is met by lowering the quality, then by shortening the
    /// edge.
    ///
    /// - Throws: `CodedError` of kind `input` when the photo cannot be used (`image_empty`, `unsupported_format`,
    ///   `image_truncated`, `image_corrupt`, `image_too_many_pixels` …); of kind `temporary` when there is no memory or
    ///   time now.
    package func prepare(_ source: Data) throws(CodedError) -> PreparedImage {
        guard !source.isEmpty else {
            throw CodedError(.imageEmpty, .input, "the file is empty; supply the photo again")
        }
        guard source.count <= self.settings.maxSourceBytes else {
            throw CodedError(
                .sourceTooLarge,
                .input,
                "the image has \(source.count) bytes, more than \(self.settings.maxSourceBytes); supply a smaller file"
            )
        }
        // A typed throw does not pass through withUnsafeBytes.
        let outcome = source.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(CodedError) in
                switch ImageFormat.sniff(bytes) {
                case .jpeg: try self.prepareJPEG(bytes, source: source)
                case .png:
                    try self.preparePNG(PNGSource(bytes, settings: self.settings, limits: self.limits))
                case let other: throw other.refusal
                }
            }
        }
        return try outcome.get()
    }

    /// Makes a prepared image smaller for an endpoint that finds it too large: three quarters of the edge and half of
    /// the bytes. Returns nil when it is as small as it may get.
    ///
    /// - Parameter isolated: Whether that happens in a confined child, as in ``prepareIsolated(_:)``.
    /// - Throws: `CodedError` of kind `temporary` when there is no memory or time now.
    package func shrink(_ image: PreparedImage, isolated: Bool = false) throws(CodedError) -> PreparedImage? {
        let edge = max(image.width, image.height) * 3 / 4
        guard edge >= ImagingLimits.smallestShrunkEdge else { return nil }
        var settings = self.settings
        settings.maxEdge = edge
        settings.byteBudget = max(image.jpeg.count / 2, 1)
        var smaller = ImageRecompressor(settings: settings)
        smaller.limits = self.limits
        smaller.command = self.command
        do throws(CodedError) {
            let result = isolated ? try smaller.prepareIsolated(image.jpeg) : try smaller.prepare(image.jpeg)
            return result.jpeg.count < image.jpeg.count ? result : nil
        } catch {
            if error.kind == .temporary { throw error }
            return nil
        }
    }

    // MARK: Formats

    private func prepareJPEG(_ bytes: UnsafeBufferPointer<UInt8>, source: Data) throws(CodedError) -> PreparedImage {
        let jpeg = try JPEGSource(bytes, settings: self.settings, limits: self.limits)
        if jpeg.isAcceptableAsIs(self.settings) {
            try jpeg.checkThatItDecodes()
            return PreparedImage(source, jpeg.size)
        }
        if let image = try self.recompressPlanes(jpeg) { return image }
        return try self.finish(try jpeg.decode(), of: jpeg.subject)
    }

    private func preparePNG(_ png: PNGSource) throws(CodedError) -> PreparedImage {
        try self.finish(try png.decode(), of: png.subject)
    }

    /// A 4:2:0 picture stays planes from decoder to encoder, at its own size coefficients if it consists of whole
    /// blocks; nil when it must become pixels: another sampling or colour space, colours to convert, or a budget that
    /// no quality meets.
    private func recompressPlanes(_ jpeg: JPEGSource) throws(CodedError) -> PreparedImage? {
        guard jpeg.isPlanar else { return nil }
        let profile: [UInt8]
        switch jpeg.colourConversion() {
        case .none: profile = []
        case .matrix: return nil
        case .keep(let kept): profile = kept
        }
        let target = jpeg.size.fitted(to: self.settings.maxEdge)
        let upright = target.oriented(by: jpeg.orientation)
        var ladder = self.settings.qualityLadder[...]
        if target == jpeg.size, jpeg.canStayCoefficients {
            let encoder = self.encoder(quality: ladder.removeFirst(), profile: profile)
            if let encoded = try encoder.requantize(jpeg) { return PreparedImage(encoded, upright) }
        }
        if ladder.isEmpty { return nil }
        let decoded = jpeg.decodedSize(for: target)
        try jpeg.subject.checkMemory(pixels: target.pixelCount * 3 / 2, reducing: decoded, to: target)
        let planes = try JPEGPlanes(jpeg, target: target)
        for quality in ladder {
            let encoded = try self.encoder(quality: quality, profile: profile).encode(planes, of: jpeg.subject)
            if let encoded { return PreparedImage(encoded, upright) }
        }
        return nil
    }

    private func finish(
        _ decoded: consuming DecodedImage,
        of subject: ImageSubject
    ) throws(CodedError) -> PreparedImage {
        var kept: [UInt8] = []
        switch decoded.colour {
        case .none: break
        case .keep(let profile): kept = profile
        case .matrix(let transform): decoded.pixels.convert(with: transform)
        }
        return try self.encodeWithinBudget(decoded.pixels, profile: kept, of: subject)
    }

    // MARK: Byte budget

    /// Lowers the quality step by step, then, at the lowest, the edges; each time from the same full pixels.
    private func encodeWithinBudget(
        _ pixels: borrowing PixelBuffer,
        profile: [UInt8],
        of subject: ImageSubject
    ) throws(CodedError) -> PreparedImage {
        var encoder = self.encoder(quality: 0, profile: profile)
        for quality in self.settings.qualityLadder {
            encoder.quality = quality
            if let jpeg = try encoder.encode(pixels, of: subject) { return PreparedImage(jpeg, pixels.size) }
        }
        var edge = pixels.size.longestEdge
        while edge > ImagingLimits.smallestEdge {
            edge = max(ImagingLimits.smallestEdge, Int(Double(edge) * ImagingLimits.edgeStep))
            let smaller = try pixels.reduced(to: pixels.size.fitted(to: edge))
            if let jpeg = try encoder.encode(smaller, of: subject) { return PreparedImage(jpeg, smaller.size) }
        }
        throw CodedError(
            .imageOverBudget,
            .input,
            """
            even \(edge) pixels long at quality \(encoder.quality) of 100 the image exceeds \
            \(self.settings.byteBudget) bytes; raise imaging.byte_budget
            """
        )
    }

    private func encoder(quality: Int, profile: [UInt8]) -> JPEGEncoder {
        JPEGEncoder(quality: quality, profile: profile, byteCeiling: self.settings.byteBudget)
    }
}

extension PreparedImage {
    init(_ jpeg: Data, _ size: PixelSize) {
        self.init(jpeg: jpeg, width: size.width, height: size.height, digest: ContentDigest(of: jpeg))
    }
}

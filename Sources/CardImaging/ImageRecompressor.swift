package import CardModel
package import Foundation

/// Turns a photo of a card into the JPEG that is verified and delivered.
///
/// The picture is decoded (at a DCT scale when the target allows), reduced, turned upright, converted to sRGB and
/// encoded as baseline JPEG without metadata; a picture that keeps its size is only requantised if possible. The work
/// is synchronous and takes a few to a hundred milliseconds: call it on a pool of threads.
///
/// ```swift
/// let image = try ImageRecompressor(settings: ImagingSettings()).prepare(photo)
/// ```
package struct ImageRecompressor: Sendable {
    private(set) var settings: ImagingSettings
    var limits = ImagingLimits()
    /// The command of an isolated decoding: the running binary, even if its file has been replaced since.
    var command = ["/proc/self/exe", DecodingChild.argument]

    /// Creates a recompressor; the configuration has checked the ranges of the settings.
    package init(settings: ImagingSettings) {
        precondition(
            0...1 ~= settings.quality && 0...1 ~= settings.minQuality && settings.maxEdge > 0
                && settings.byteBudget > 0 && settings.maxSourceBytes > 0 && settings.maxPixels > 0,
            "qualities must lie in 0…1 and sizes must be positive: \(settings)"
        )
        self.settings = settings
    }

    /// Prepares the content of a JPEG or PNG file.
    ///
    /// Lowers the quality, then shortens the edge, until the byte budget is met.
    ///
    /// - Throws: `CodedError` of kind `input` when the photo cannot be used (`image_empty`, `unsupported_format`,
    ///   `image_truncated`, `image_corrupt`, `image_too_many_pixels` …); of kind `temporary` when there is no memory or
    ///   time now.
    package func prepare(_ source: Data) throws(CodedError) -> PreparedImage {
        try self.checkSource(source)
        // A typed throw does not pass through withUnsafeBytes.
        let outcome = source.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(CodedError) in
                let format = ImageFormat.sniff(bytes)
                let photo = try PhotoSource(bytes, format: format, settings: self.settings, limits: self.limits)
                return try self.prepare(photo, source)
            }
        }
        return try outcome.mapError { error in
            let isText = [.imageCorrupt, .imageTruncated].contains(error.code) && ForeignFile.isTextMode(source)
            return isText ? CodedError(.imageCorrupt, .input, .fileTextMode) : error
        }.get()
    }

    /// Refuses sources that are empty, too large or of another format, without decoding.
    func checkSource(_ source: Data) throws(CodedError) {
        guard !source.isEmpty else { throw CodedError(.imageEmpty, .input, .imageEmpty) }
        guard source.count <= self.settings.maxSourceBytes else {
            throw CodedError(.sourceTooLarge, .input, .imageTooLarge(source.count, self.settings.maxSourceBytes))
        }
        let format = ImageFormat.sniff(source)
        guard format.isReadable else { throw format.refusal(source.prefix(4096)) }
    }

    /// Makes a prepared image smaller for an endpoint that refuses it as too large.
    ///
    /// The edge becomes three quarters and the byte budget half. Returns nil when the image cannot become smaller.
    ///
    /// - Parameter isolated: Whether to work in a confined child, as in ``prepareIsolated(_:)``.
    /// - Throws: `CodedError` of kind `temporary` when there is no memory or time now.
    package func shrink(_ image: PreparedImage, isolated: Bool = false) throws(CodedError) -> PreparedImage? {
        let edge = max(image.width, image.height) * 3 / 4
        guard edge >= ImagingLimits.smallestShrunkEdge else { return nil }
        var smaller = self
        smaller.settings.maxEdge = edge
        smaller.settings.byteBudget = max(image.jpeg.count / 2, 1)
        do throws(CodedError) {
            let result = isolated ? try smaller.prepareIsolated(image.jpeg) : try smaller.prepare(image.jpeg)
            return result.jpeg.count < image.jpeg.count ? result : nil
        } catch {
            if error.kind == .temporary { throw error }
            return nil
        }
    }

    // MARK: Encoding

    /// Changes a photo as little as the settings allow: keeps its bytes, requantises it, or decodes and encodes it.
    private func prepare(_ photo: PhotoSource, _ source: Data) throws(CodedError) -> PreparedImage {
        if photo.isAcceptableAsIs(self.settings) {
            try photo.checkThatItDecodes()
            return PreparedImage(source, photo.size)
        }
        var colour = photo.colourConversion()
        let target = photo.size.fitted(to: self.settings.maxEdge)
        var ladder = self.settings.qualityLadder[...]
        if target == photo.size, photo.canStayCoefficients, !colour.changesColours {
            let encoder = self.encoder(quality: ladder.removeFirst(), profile: colour.embeddedProfile)
            let upright = target.turned(by: photo.orientation)
            if let encoded = try encoder.requantize(photo) { return PreparedImage(encoded, upright) }
        }
        let planes = try photo.decode(to: target, &colour)
        return try self.finish(planes, colour, qualities: ladder, of: photo.subject)
    }

    /// Converts the colours and encodes, with lower qualities and at last with shorter edges until the byte budget is met;
    /// always from the full planes.
    private func finish(
        _ planes: borrowing Planes,
        _ colour: ColourConversion,
        qualities: ArraySlice<Int>,
        of subject: ImageSubject
    ) throws(CodedError) -> PreparedImage {
        if case .matrix(let transform) = colour { planes.convert(with: transform) }
        var encoder = self.encoder(quality: self.settings.lowestQuality, profile: colour.embeddedProfile)
        for quality in qualities {
            encoder.quality = quality
            if let jpeg = try encoder.encode(planes, of: subject) { return PreparedImage(jpeg, planes.size) }
        }
        var edge = planes.size.longestEdge
        while edge > ImagingLimits.smallestEdge {
            edge = max(ImagingLimits.smallestEdge, Int(Double(edge) * ImagingLimits.edgeStep))
            let smaller = try planes.reduced(to: planes.size.fitted(to: edge))
            if let jpeg = try encoder.encode(smaller, of: subject) { return PreparedImage(jpeg, smaller.size) }
        }
        throw CodedError(
            .imageOverBudget,
            .input,
            .imageOverBudget(edge, quality: encoder.quality, self.settings.byteBudget)
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

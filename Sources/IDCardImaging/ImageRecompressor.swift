package import Foundation

/// Turns a photo of a card into the JPEG that is verified and delivered.
///
/// The picture is decoded (at a DCT scale when the target allows), reduced, turned upright, converted to sRGB and
/// encoded as baseline JPEG without metadata; one that keeps its size is only quantised anew, if it can be. All of it is synchronous CPU work of a few to a hundred milliseconds:
/// call it on a thread pool. Copies share the memory that they keep from picture to picture.
///
/// ```swift
/// let recompressor = ImageRecompressor(settings: RecompressionSettings(quality: 0.5, maximumEdge: 1600))
/// let image = try recompressor.recompress(photo)
/// ```
package struct ImageRecompressor: Sendable {
    /// How pictures are made smaller.
    package var settings: RecompressionSettings
    /// What a picture may cost.
    package var limits: ImagingLimits
    let planes = JPEGPlanesPool()

    /// Takes settings and limits.
    package init(settings: RecompressionSettings = RecompressionSettings(), limits: ImagingLimits = ImagingLimits()) {
        self.settings = settings
        self.limits = limits
    }

    /// Recompresses a JPEG or PNG file's content.
    ///
    /// The byte budget is met by lowering the quality first, then by shortening the longest edge.
    ///
    /// - Throws: `ImagingError`: `image_empty`, `image_too_large_bytes`, `unsupported_format`, a code of the limit that
    ///   is exceeded, `image_truncated` or `image_corrupt` when any part of the picture is missing or damaged, and
    ///   `image_over_budget`.
    package func recompress(_ source: Data) throws(ImagingError) -> RecompressedImage {
        try self.check(source)
        let outcome = source.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            return Result { () throws(ImagingError) in
                switch ImageFormat.sniff(bytes) {
                case .jpeg: try self.recompressJPEG(bytes, source: source)
                case .png: try self.recompressPNG(bytes)
                case let other: throw ImagingError(unreadable: other)
                }
            }
        }
        return try outcome.get()
    }

    private func check(_ source: Data) throws(ImagingError) {
        guard !source.isEmpty else {
            throw ImagingError(code: .empty, message: "the file is empty: supply the photo again")
        }
        guard source.count <= self.limits.maximumSourceBytes else {
            let message = """
                \(source.count) bytes, \(self.limits.maximumSourceBytes) are allowed: supply a smaller file
                """
            throw ImagingError(code: .tooLargeBytes, message: message)
        }
    }

    private func recompressJPEG(
        _ bytes: UnsafeBufferPointer<UInt8>,
        source: Data
    ) throws(ImagingError) -> RecompressedImage {
        let jpeg = try JPEGSource(bytes, limits: self.limits)
        if jpeg.isAcceptableAsIs(self.settings) {
            try jpeg.checkThatItDecodes()
            return RecompressedImage(
                jpeg: source,
                width: jpeg.size.width,
                height: jpeg.size.height,
                libjpegQuality: nil,
                sourceFormat: .jpeg,
                sourceWidth: jpeg.size.width,
                sourceHeight: jpeg.size.height,
                sourceOrientation: 1
            )
        }
        if let encoded = try self.recompressPlanes(jpeg) {
            return self.result(encoded, format: .jpeg, sourceSize: jpeg.size, orientation: jpeg.orientation)
        }
        return try self.finish(try jpeg.decode(maximumEdge: self.settings.maximumEdge), format: .jpeg)
    }

    private func recompressPNG(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) -> RecompressedImage {
        let png = try PNGSource(bytes, limits: self.limits)
        return try self.finish(try png.decode(maximumEdge: self.settings.maximumEdge), format: .png)
    }

    func finish(
        _ decoded: consuming DecodedImage,
        format: ImageFormat
    ) throws(ImagingError) -> RecompressedImage {
        let (sourceSize, orientation, colour) = (decoded.sourceSize, decoded.orientation, decoded.colour)
        let upright = try decoded.pixels.oriented(by: orientation)
        var profile: [UInt8] = []
        switch colour {
        case .none: break
        case .matrix(let transform): upright.convert(with: transform)
        case .keep(let kept): profile = kept
        }
        let encoded = try self.encodeWithinBudget(upright, profile: profile)
        return self.result(encoded, format: format, sourceSize: sourceSize, orientation: orientation)
    }

    private func result(
        _ encoded: Encoded,
        format: ImageFormat,
        sourceSize: PixelSize,
        orientation: Orientation
    ) -> RecompressedImage {
        return RecompressedImage(
            jpeg: encoded.jpeg,
            width: encoded.size.width,
            height: encoded.size.height,
            libjpegQuality: encoded.quality,
            sourceFormat: format,
            sourceWidth: sourceSize.width,
            sourceHeight: sourceSize.height,
            sourceOrientation: Int(orientation.rawValue)
        )
    }
}

import Foundation
import IDCardCore
import IDCardImaging
import IDCardPipeline

extension ImagePreparation {
    /// Prepares images with libjpeg and libpng.
    static func recompressing(_ configuration: AppConfiguration.Imaging) -> ImagePreparation {
        let recompressor = ImageRecompressor(
            settings: RecompressionSettings(configuration),
            limits: ImagingLimits(configuration)
        )
        return ImagePreparation(
            prepare: { source in Self.outcome(of: recompressor, source: source) },
            shrink: { image in Self.smaller(image, than: recompressor) }
        )
    }

    private static func outcome(of recompressor: ImageRecompressor, source: Data) -> Outcome {
        do throws(ImagingError) {
            let image = try recompressor.recompress(source)
            return .prepared(PreparedImage(image))
        } catch {
            let reason = ReasonCode(rawValue: error.code.rawValue)
            // What the machine could not do now is not the picture's fault for ever.
            let mayPass = error.isTransient || error.code == .decodeTime
            return mayPass ? .unavailable(reason, message: error.message) : .refused(reason, message: error.message)
        }
    }

    /// Three quarters of the edge and half of the bytes; below 600 pixels the print on a card can no longer be read.
    private static func smaller(_ image: PreparedImage, than recompressor: ImageRecompressor) -> PreparedImage? {
        let edge = max(image.width, image.height) * 3 / 4
        guard edge >= 600 else { return nil }
        var smaller = recompressor
        smaller.settings.maximumEdge = edge
        smaller.settings.byteBudget = max(image.jpeg.count / 2, 1)
        guard let result = try? smaller.recompress(image.jpeg), result.jpeg.count < image.jpeg.count else {
            return nil  // An image that cannot be made smaller is refused with the endpoint's own reason.
        }
        return PreparedImage(result)
    }
}

extension PreparedImage {
    fileprivate init(_ image: RecompressedImage) {
        self.init(jpeg: image.jpeg, width: image.width, height: image.height, digest: ContentDigest(of: image.jpeg))
    }
}

extension RecompressionSettings {
    fileprivate init(_ configuration: AppConfiguration.Imaging) {
        self.init()
        self.quality = configuration.quality
        self.minimumQuality = configuration.minimumQuality
        self.maximumEdge = configuration.maximumEdge
        self.byteBudget = configuration.byteBudget
        self.recompress =
            switch configuration.recompress {
            case .always: .always
            case .whenNeeded: .whenNeeded
            }
    }
}

extension ImagingLimits {
    fileprivate init(_ configuration: AppConfiguration.Imaging) {
        self.init()
        self.maximumSourceBytes = configuration.maximumSourceBytes
        self.maximumPixels = configuration.maximumPixels
        self.maximumEdge = configuration.maximumSourceEdge
        self.maximumScans = configuration.maximumScans
        self.maximumDecodeMemoryBytes = configuration.maximumDecodeBytes
        self.maximumDecodeTime = configuration.maximumDecodeTime
    }
}

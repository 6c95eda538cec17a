import Foundation
import IDCardCore
import IDCardImaging
import IDCardPipeline

extension ImagePreparation {
    /// Makes an image under some settings.
    private typealias Decode = @Sendable (_ source: Data, _ settings: RecompressionSettings) -> Outcome

    /// Prepares images with libjpeg and libpng: here, or each in a child (`imaging.isolation`).
    ///
    /// - Parameter executable: what the child executes; by default the binary that runs.
    static func recompressing(
        _ configuration: AppConfiguration.Imaging,
        executable: String? = nil
    ) -> ImagePreparation {
        let settings = RecompressionSettings(configuration)
        let limits = ImagingLimits(configuration)
        var process = DecoderProcess(limits: limits)
        process.executable = executable ?? process.executable
        // One for all pictures, as it keeps the memory of one for the next.
        let recompressor = ImageRecompressor(settings: settings, limits: limits)
        let here: Decode = { source, settings in
            var adjusted = recompressor
            adjusted.settings = settings
            return Self.outcome(of: adjusted, source: source)
        }
        let isolated: Decode = { [process] source, settings in process.decode(source, settings) }
        let usual = configuration.isolation == .process ? isolated : here
        return ImagePreparation(
            prepare: { usual($0, settings) },
            prepareIsolated: { isolated($0, settings) },
            shrink: { image in Self.smaller(image, than: settings, by: usual) }
        )
    }

    private static func outcome(of recompressor: ImageRecompressor, source: Data) -> Outcome {
        do throws(ImagingError) {
            let image = try recompressor.recompress(source)
            return .prepared(PreparedImage(image))
        } catch {
            let reason = ReasonCode(rawValue: error.code.rawValue)
            return error.mayPass
                ? .unavailable(reason, message: error.message) : .refused(reason, message: error.message)
        }
    }

    /// Three quarters of the edge and half of the bytes; below 600 pixels the print on a card can no longer be read.
    private static func smaller(
        _ image: PreparedImage,
        than settings: RecompressionSettings,
        by decode: Decode
    ) -> PreparedImage? {
        let edge = max(image.width, image.height) * 3 / 4
        guard edge >= 600 else { return nil }
        var smaller = settings
        smaller.maximumEdge = edge
        smaller.byteBudget = max(image.jpeg.count / 2, 1)
        guard case .prepared(let result) = decode(image.jpeg, smaller), result.jpeg.count < image.jpeg.count else {
            return nil  // An image that cannot be made smaller is refused with the endpoint's own reason.
        }
        return result
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

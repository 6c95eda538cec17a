import Foundation
import IDCardImaging

/// What the decoding child is asked to do: one line of JSON, followed by the bytes of the picture.
struct DecodeRequest: Hashable, Sendable, Codable {
    var quality: Double
    var minimumQuality: Double
    var maximumEdge: Int
    var byteBudget: Int
    var recompressesAlways: Bool
    var maximumSourceBytes: Int
    var maximumPixels: Int
    var maximumSourceEdge: Int
    var maximumScans: Int
    var maximumDecodeBytes: Int
    var maximumDecodeMilliseconds: Int64

    init(settings: RecompressionSettings, limits: ImagingLimits) {
        self.quality = settings.quality
        self.minimumQuality = settings.minimumQuality
        self.maximumEdge = settings.maximumEdge
        self.byteBudget = settings.byteBudget
        self.recompressesAlways = settings.recompress == .always
        self.maximumSourceBytes = limits.maximumSourceBytes
        self.maximumPixels = limits.maximumPixels
        self.maximumSourceEdge = limits.maximumEdge
        self.maximumScans = limits.maximumScans
        self.maximumDecodeBytes = limits.maximumDecodeMemoryBytes
        let (seconds, attoseconds) = limits.maximumDecodeTime.components
        self.maximumDecodeMilliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// What does the work.
    var recompressor: ImageRecompressor {
        ImageRecompressor(
            settings: RecompressionSettings(
                quality: self.quality,
                maximumEdge: self.maximumEdge,
                byteBudget: self.byteBudget,
                minimumQuality: self.minimumQuality,
                recompress: self.recompressesAlways ? .always : .whenNeeded
            ),
            limits: ImagingLimits(
                maximumSourceBytes: self.maximumSourceBytes,
                maximumPixels: self.maximumPixels,
                maximumEdge: self.maximumSourceEdge,
                maximumScans: self.maximumScans,
                maximumDecodeMemoryBytes: self.maximumDecodeBytes,
                maximumDecodeTime: .milliseconds(self.maximumDecodeMilliseconds)
            )
        )
    }
}

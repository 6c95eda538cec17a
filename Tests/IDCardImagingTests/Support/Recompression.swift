import Foundation
import IDCardImaging
import Testing

/// Settings that leave pixels as alone as JPEG can.
let gentle = RecompressionSettings(quality: 1)

/// Recompresses with settings that change as little as possible.
func recompress(
    _ bytes: [UInt8],
    _ settings: RecompressionSettings = gentle,
    limits: ImagingLimits = ImagingLimits()
) throws(ImagingError) -> RecompressedImage {
    try ImageRecompressor(settings: settings, limits: limits).recompress(Data(bytes))
}

/// The code with which a source is refused, or nil when it is accepted.
func refusal(
    of bytes: [UInt8],
    _ settings: RecompressionSettings = gentle,
    limits: ImagingLimits = ImagingLimits()
) -> ImagingError.Code? {
    do {
        _ = try recompress(bytes, settings, limits: limits)
        return nil
    } catch {
        return error.code
    }
}

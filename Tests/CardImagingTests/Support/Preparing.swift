import CardModel
import Foundation
import Testing

@testable import CardImaging

/// Settings by the values that a test cares about.
func settings(
    quality: Double = 0.5,
    maxEdge: Int = 1600,
    byteBudget: Int = 1_990_000,
    minQuality: Double = 0.3,
    recompress: ImagingSettings.Recompression = .always
) -> ImagingSettings {
    var settings = ImagingSettings()
    settings.quality = quality
    settings.maxEdge = maxEdge
    settings.byteBudget = byteBudget
    settings.minQuality = minQuality
    settings.recompress = recompress
    return settings
}

/// Settings that leave pixels as alone as JPEG can.
let gentle = settings(quality: 1)

/// Prepares with settings that change as little as possible.
func prepare(
    _ bytes: [UInt8],
    _ settings: ImagingSettings = gentle,
    limits: ImagingLimits = ImagingLimits()
) throws(CodedError) -> PreparedImage {
    var recompressor = ImageRecompressor(settings: settings)
    recompressor.limits = limits
    return try recompressor.prepare(Data(bytes))
}

/// The code with which a source is refused, or nil when it is accepted.
func refusal(
    of bytes: [UInt8],
    _ settings: ImagingSettings = gentle,
    limits: ImagingLimits = ImagingLimits()
) -> ReasonCode? {
    do {
        _ = try prepare(bytes, settings, limits: limits)
        return nil
    } catch {
        return error.code
    }
}

/// The quality in libjpeg's scale with whose tables a JPEG was written.
func quality(of jpeg: Data) throws -> Int? {
    func tables(_ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        bytes.offset(ofMarker: 0xDB).map { bytes[$0..<$0 + 69] }
    }
    let wanted = try #require(tables(Array(jpeg)))
    let pixel = TestPicture.mosaic(columns: 1, rows: 1)
    return try (1...100).first { try tables(pixel.jpeg(quality: Int32($0)))?.elementsEqual(wanted) == true }
}

/// The committed pictures, which other software wrote.
enum Fixture {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "fixtures")

    static func content(_ path: String) throws -> Data {
        try Data(contentsOf: self.root.appending(path: path))
    }

    /// Every picture below a folder, as paths relative to the fixtures.
    static func pictures(below folder: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: self.root.appending(path: folder).path)
        return names.filter { $0.contains(".") }.map { "\(folder)/\($0)" }
    }
}

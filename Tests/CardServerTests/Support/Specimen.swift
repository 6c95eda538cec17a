import Foundation

/// Bytes of images that no decoder sees; what a card shows stands in them as text.
enum Specimen {
    /// What begins as a JPEG does.
    static func jpeg(_ mark: String = "front", byteCount: Int = 5_000) -> Data {
        let start = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) + Data("JFIF".utf8) + Data("\u{0} \(mark) ".utf8)
        let block = Data((0..<256).map { UInt8(truncatingIfNeeded: $0 * 31) })
        var bytes = start
        while bytes.count < byteCount { bytes += block.prefix(byteCount - bytes.count) }
        return bytes
    }

    /// What begins as a PNG does.
    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 200)
    /// What begins as a HEIC does.
    static let heic = Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(repeating: 0, count: 200)
    /// What is no image.
    static let text = Data(String(repeating: "no image at all. ", count: 20).utf8)
}

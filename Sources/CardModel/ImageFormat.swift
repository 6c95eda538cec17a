import Foundation

/// An image format as recognised from the first bytes of a file.
package enum ImageFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case heic
    case avif
    case webp
    case tiff
    case gif
    case bmp
    case pdf
    /// None of the formats above.
    case unknown

    /// Whether images of this format can be read; the other formats are recognised only to be refused by name.
    package var isReadable: Bool { self == .jpeg || self == .png }

    package var displayName: String {
        switch self {
        case .webp: "WebP"
        case .unknown: "unknown"
        default: self.rawValue.uppercased()
        }
    }

    /// The number of leading bytes that `sniff` reads.
    package static let signatureByteCount = 64

    /// Recognises a format from the first bytes of a file; `signatureByteCount` of them suffice.
    package static func sniff(_ bytes: some Sequence<UInt8>) -> ImageFormat {
        let head = Array(bytes.prefix(self.signatureByteCount))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if head.starts(with: "GIF8".utf8) { return .gif }
        if head.starts(with: "%PDF-".utf8) || head.starts(with: [0xEF, 0xBB, 0xBF] + "%PDF-".utf8) { return .pdf }
        if self.isTIFF(head) { return .tiff }
        if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
        if self.isBitmap(head) { return .bmp }
        return self.isoMediaFormat(head) ?? .unknown
    }

    /// The refusal of a format that cannot be read.
    ///
    /// - Parameter head: the first bytes of the file, which identify a file that is not an image.
    package func refusal(_ head: some Collection<UInt8>) -> CodedError {
        let message: Message =
            switch self {
            case .unknown: ForeignFile.message(head)
            case .pdf: .filePDF
            case .heic: .fileHEIC
            default: .fileUnsupportedFormat(self)
            }
        return CodedError(.unsupportedFormat, .input, message)
    }

    /// Filename extensions of images, also of formats that are refused by name.
    private static let nameExtensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "heic", "heif", "avif", "webp", "tif", "tiff", "bmp", "gif", "pdf",
    ]

    /// Whether a file name has the extension of an image.
    package static func isName(_ name: String) -> Bool {
        self.nameExtensions.contains((name as NSString).pathExtension.lowercased())
    }

    /// Recognises TIFF 6.0 (section 2), and BigTIFF, which has 43 in place of 42.
    private static func isTIFF(_ head: [UInt8]) -> Bool {
        head.starts(with: [0x49, 0x49, 0x2A, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2A])
            || head.starts(with: [0x49, 0x49, 0x2B, 0]) || head.starts(with: [0x4D, 0x4D, 0, 0x2B])
    }

    /// Also checks the size of the information header: a text may begin with the two letters, too.
    private static func isBitmap(_ head: [UInt8]) -> Bool {
        guard head.count >= 18, head.starts(with: "BM".utf8) else { return false }
        return [12, 40, 52, 56, 64, 108, 124].contains(head[14]) && head[15...17].allSatisfy { $0 == 0 }
    }

    /// Recognises the formats of ISO/IEC 23008-12: a brand in the `ftyp` box, major or compatible, names the coding.
    private static func isoMediaFormat(_ head: [UInt8]) -> ImageFormat? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(max(size, 12), head.count)
        let brands = stride(from: 8, through: end - 4, by: 4)
            .filter { $0 != 12 }  // The minor version.
            .map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
        if brands.contains(where: { $0 == "avif" || $0 == "avis" }) { return .avif }
        let heif: Set<String> = ["heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs", "mif1", "msf1"]
        return brands.contains(where: heif.contains) ? .heic : nil
    }
}

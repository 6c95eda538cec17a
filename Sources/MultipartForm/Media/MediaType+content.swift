extension MediaType {
    static let zip = MediaType("application/zip")

    /// First bytes that no other format starts with.
    private static let signatures: [(prefix: [UInt8], type: MediaType)] = [
        ([0xFF, 0xD8, 0xFF], MediaType("image/jpeg")),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], MediaType("image/png")),
        (Array("GIF87a".utf8), MediaType("image/gif")),
        (Array("GIF89a".utf8), MediaType("image/gif")),
        ([0x49, 0x49, 0x2A, 0x00], MediaType("image/tiff")),
        ([0x4D, 0x4D, 0x00, 0x2A], MediaType("image/tiff")),
        ([0x49, 0x49, 0x2B, 0x00, 0x08, 0x00], MediaType("image/tiff")),
        ([0x4D, 0x4D, 0x00, 0x2B, 0x00, 0x08], MediaType("image/tiff")),
        (Array("%PDF-".utf8), MediaType("application/pdf")),
        ([0x50, 0x4B, 0x03, 0x04], MediaType.zip),
        ([0x50, 0x4B, 0x05, 0x06], MediaType.zip),
        ([0x1F, 0x8B, 0x08], MediaType("application/gzip")),
    ]

    /// Brands of ISO base media files (ISO/IEC 23008-12 annex B, AV1 Image File Format section 6).
    private static let brands: [String: MediaType] = [
        "heic": MediaType("image/heic"), "heix": MediaType("image/heic"), "heim": MediaType("image/heic"),
        "heis": MediaType("image/heic"), "hevc": MediaType("image/heic-sequence"),
        "hevx": MediaType("image/heic-sequence"), "hevm": MediaType("image/heic-sequence"),
        "hevs": MediaType("image/heic-sequence"), "avif": MediaType("image/avif"), "avis": MediaType("image/avif"),
    ]
    /// Brands that say "an image in such a file", whatever codec.
    private static let generalBrands: [String: MediaType] = [
        "mif1": MediaType("image/heif"), "msf1": MediaType("image/heif-sequence"),
    ]

    /// The type that the first bytes prove.
    static func sniffed(_ bytes: [UInt8]) -> MediaType? {
        if let match = self.signatures.first(where: { bytes.starts(with: $0.prefix) }) { return match.type }
        if bytes.starts(with: "RIFF".utf8), self.text(bytes, at: 8) == "WEBP" { return MediaType("image/webp") }
        if self.isBitmap(bytes) { return MediaType("image/bmp") }
        return self.isoBaseMedia(bytes)
    }

    /// Two letters prove little: the reserved bytes must be 0 and the second header of a known length.
    private static func isBitmap(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "BM".utf8), bytes.count >= 18, bytes[6..<10].allSatisfy({ $0 == 0 }) else {
            return false
        }
        return [12, 40, 52, 56, 64, 108, 124].contains(bytes[14]) && bytes[15..<18].allSatisfy { $0 == 0 }
    }

    private static func isoBaseMedia(_ bytes: [UInt8]) -> MediaType? {
        guard bytes.count >= 16, self.text(bytes, at: 4) == "ftyp" else { return nil }
        let size = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        // The minor version at 12 is no brand.
        let end = min(size, bytes.count)
        let compatible = stride(from: 16, to: max(16, end - 3), by: 4).compactMap { self.text(bytes, at: $0) }
        let major = self.text(bytes, at: 8).map { [$0] } ?? []
        return (major + compatible).lazy.compactMap { self.brands[$0] }.first
            ?? (major + compatible).lazy.compactMap { self.generalBrands[$0] }.first
    }

    private static func text(_ bytes: [UInt8], at offset: Int) -> String? {
        guard bytes.count >= offset + 4 else { return nil }
        return String(validating: bytes[offset..<(offset + 4)], as: UTF8.self)
    }
}

/// Recognises files that are not images by their first bytes, and names a remedy.
package enum ForeignFile {
    private static let starts: [(bytes: [UInt8], message: Message)] = [
        ([0x50, 0x4B, 3, 4], .fileArchive), (Array("Rar!".utf8), .fileArchive),
        ([0x37, 0x7A, 0xBC, 0xAF], .fileArchive),
        ([0x1F, 0x8B], .fileGzip),
        ([0xD0, 0xCF, 0x11, 0xE0], .fileOffice), (Array("{\\rtf".utf8), .fileOffice),
        (Array("/9j/".utf8), .fileBase64), (Array("iVBORw0KGgo".utf8), .fileBase64),
        (Array("data:image/".utf8), .fileBase64),
        (Array("version https://git-lfs".utf8), .fileGitLFS),
        (Array("%TSD-Header-".utf8), .fileEncrypted), ([0x62, 0x14, 0x23, 0x65], .fileEncrypted),
        (Array(".pfile".utf8), .fileEncrypted),
        ([0x89, 0x50, 0x4E, 0x47, 0x0A], .fileTextMode), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0D], .fileTextMode),
        // FF D8 and 89 50, each byte decoded as a character of Latin-1.
        ([0xC3, 0xBF, 0xC3, 0x98], .fileTextMode), ([0xC2, 0x89, 0x50, 0x4E], .fileTextMode),
        // The same beginnings, each byte above 7F replaced by U+FFFD.
        ([0xEF, 0xBF, 0xBD, 0xEF, 0xBF, 0xBD], .fileTextMode), ([0xEF, 0xBF, 0xBD, 0x50, 0x4E, 0x47], .fileTextMode),
    ]

    /// Returns the kind of the file and the remedy.
    static func message(_ head: some Collection<UInt8>) -> Message {
        if !head.isEmpty, head.allSatisfy({ $0 == 0 }) { return .fileZeros }
        // OOXML is a ZIP, recognised by its first entry: users do not regard a workbook as an archive.
        let entry = head.dropFirst(30)
        if head.starts(with: "PK".utf8),
            ["[Content", "_rels/", "docProps/", "xl/", "word/"].contains(where: { entry.starts(with: $0.utf8) })
        {
            return .fileOffice
        }
        if let known = self.starts.first(where: { head.starts(with: $0.bytes) }) { return known.message }
        let start = head.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        if start.first == UInt8(ascii: "<") { return .fileWebPage }
        if head.dropFirst(4).starts(with: "ftyp".utf8) { return .fileVideo }
        return .fileUnknown
    }

    /// Whether an image was copied in text mode: every line feed follows a carriage return, and there are enough of them
    /// that this is not chance.
    package static func isTextMode(_ image: some Collection<UInt8>) -> Bool {
        var (feeds, last) = (0, UInt8(0))
        for byte in image {
            if byte == 0x0A {
                guard last == 0x0D else { return false }
                feeds += 1
            }
            last = byte
        }
        return feeds >= 8
    }
}

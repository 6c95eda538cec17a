/// What a file without an image is, told by its first bytes, and what to do about it.
package enum ForeignFile {
    private static let starts: [(bytes: [UInt8], words: Message)] = [
        ([0x50, 0x4B, 3, 4], archive), (Array("Rar!".utf8), archive), ([0x37, 0x7A, 0xBC, 0xAF], archive),
        ([0x1F, 0x8B], "is compressed with gzip; decompress it (gunzip), and supply the JPEG or PNG photo in it"),
        ([0xD0, 0xCF, 0x11, 0xE0], document), (Array("{\\rtf".utf8), document),
        (Array("/9j/".utf8), base64), (Array("iVBORw0KGgo".utf8), base64), (Array("data:image/".utf8), base64),
        (Array("version https://git-lfs".utf8), "is a pointer of Git LFS; fetch the JPEG or PNG photo by git lfs pull"),
        (Array("%TSD-Header-".utf8), encrypted), ([0x62, 0x14, 0x23, 0x65], encrypted),
        (Array(".pfile".utf8), encrypted),
        ([0x89, 0x50, 0x4E, 0x47, 0x0A], textMode), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0D], textMode),
        // FF D8 and 89 50, each byte taken for a character of Latin-1.
        ([0xC3, 0xBF, 0xC3, 0x98], textMode), ([0xC2, 0x89, 0x50, 0x4E], textMode),
        // The replacement character, for each of them.
        ([0xEF, 0xBF, 0xBD, 0xEF, 0xBF, 0xBD], textMode), ([0xEF, 0xBF, 0xBD, 0x50, 0x4E, 0x47], textMode),
    ]

    private static let archive: Message = "is an archive; unpack it, and supply the JPEG or PNG photo in it"
    private static let document: Message =
        "is an office document; save the picture in it as JPEG or PNG, and supply that"
    private static let base64: Message = "is an image as Base64 text; decode it, and supply the JPEG or PNG photo"
    private static let encrypted: Message = """
        is encrypted by a program against data loss; export the JPEG or PNG photo where it can be opened, and supply that
        """
    package static let textMode: Message = """
        is an image that was copied as if it were text, which damages it; copy the JPEG or PNG photo again in binary mode
        """

    /// Says what the file is; reads on after "the file ".
    static func words(_ head: some Collection<UInt8>) -> Message {
        if !head.isEmpty, head.allSatisfy({ $0 == 0 }) {
            return "holds nothing but zeros, as after a copy that broke off; copy the JPEG or PNG photo again"
        }
        if let known = self.starts.first(where: { head.starts(with: $0.bytes) }) { return known.words }
        let start = head.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        if start.first == UInt8(ascii: "<") {
            return
                "is a web page or XML, as servers send for an error or a login; download the JPEG or PNG photo itself"
        }
        if head.dropFirst(4).starts(with: "ftyp".utf8) {
            return "is a video or of a kind that cannot be read; supply a JPEG or PNG photo of the card"
        }
        return "is no image in a known format; supply a JPEG or PNG photo of the card"
    }

    /// Whether an image was copied as if it were text: a line feed never stands without a carriage return.
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

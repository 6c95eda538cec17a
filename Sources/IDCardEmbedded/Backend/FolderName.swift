import Crypto

/// Turns a text from outside into the name of one folder, never a path and never another's name.
enum FolderName {
    /// Bytes a name has at most: file systems allow 255.
    private static let maximumLength = 120

    /// Makes a name.
    ///
    /// ASCII letters, digits, `-`, `_` and inner dots stay; every other byte becomes `%` and two hexadecimal digits, so
    /// two texts never share a name. A name that would be too long is cut and ends with `~` and the text's SHA-256.
    static func sanitized(_ text: String) -> String {
        var name: [UInt8] = []
        for byte in text.utf8 {
            let isLeadingDot = byte == UInt8(ascii: ".") && name.isEmpty
            if byte.isASCIIAlphanumeric || "-_.".utf8.contains(byte), !isLeadingDot {
                name.append(byte)
            } else {
                name.append(UInt8(ascii: "%"))
                name += Array(Hexadecimal.text(CollectionOfOne(byte)).utf8)
            }
        }
        guard name.count > self.maximumLength else { return String(decoding: name, as: UTF8.self) }
        let digest = Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
        return String(decoding: name.prefix(self.maximumLength - digest.count - 1), as: UTF8.self) + "~" + digest
    }
}

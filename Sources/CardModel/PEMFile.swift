import Foundation

/// A file that should hold certificates or a key in PEM.
package struct PEMFile: Sendable {
    private let path: String
    /// The content, without the byte order mark of Windows editors; empty if the file is unreadable.
    package let bytes: [UInt8]

    package init(path: String) {
        self.path = path
        let bytes = FileManager.default.contents(atPath: path).map(Array.init) ?? []
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Returns the actual format of a file that is not usable PEM, and how to convert it; `nil` if the format is unknown.
    package func otherKind(isKey: Bool) -> Message? {
        if isKey, String(decoding: self.bytes, as: UTF8.self).contains("ENCRYPTED") { return .pemEncrypted(self.path) }
        // DER begins with a sequence (0x30) and its length; in a PKCS#12 file, version 3 follows.
        guard self.bytes.first == 0x30, self.bytes.count > 8 else { return nil }
        let length = self.bytes[1] < 0x80 ? 0 : Int(self.bytes[1] & 0x7F)
        if self.bytes.dropFirst(2 + length).starts(with: [2, 1, 3]) { return .pemPKCS12(self.path) }
        return isKey ? .pemKeyDER(self.path) : .pemCertificateDER(self.path)
    }
}

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

    /// Returns the actual format and how to convert it to PEM; `nil` if it is unknown.
    package func otherKind(isKey: Bool) -> Message? {
        if isKey, String(decoding: self.bytes, as: UTF8.self).contains("ENCRYPTED") { return .pemEncrypted(self.path) }
        // DER: a sequence, behind whose length a PKCS#12 file has its version, 3.
        guard self.bytes.first == 0x30, self.bytes.count > 8 else { return nil }
        let length = self.bytes[1] < 0x80 ? 0 : Int(self.bytes[1] & 0x7F)
        if self.bytes.dropFirst(2 + length).starts(with: [2, 1, 3]) { return .pemPKCS12(self.path) }
        return isKey ? .pemKeyDER(self.path) : .pemCertificateDER(self.path)
    }
}

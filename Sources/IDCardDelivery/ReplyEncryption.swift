package import IDCardCore

/// The 3DES in which a backend may hide its replies (`delivery.reply.encryption`, `.key`, `.iv`).
///
/// The convention of iOS and Android clients: the bytes of a fixed text are the key, without hash or hexadecimal, and
/// the ciphertext is Base64. Replies in the clear are read all the same: encryption is optional wherever it is met.
package struct ReplyEncryption: Hashable, Sendable {
    /// How the blocks hang together.
    package enum Mode: String, CaseIterable, Sendable, Codable {
        /// Each block is mixed with the one before, the first with the start vector.
        case cbc = "3des-cbc"
        /// Each block stands alone; a start vector is ignored.
        case ecb = "3des-ecb"
    }

    /// The start vector of the convention.
    package static let usualStartVector = "01234567"

    /// How the blocks hang together.
    package var mode: Mode
    /// The key: 24 bytes of UTF-8, of a longer text the first 24; 16 bytes are used as K1 K2 K1.
    package var key: Redacted<String>
    /// The start vector of the mode ``Mode/cbc``: 8 bytes.
    package var startVector: Redacted<String>

    /// Describes an encryption; ``BusinessBackendClient`` checks it.
    package init(
        _ mode: Mode = .cbc,
        key: Redacted<String>,
        startVector: Redacted<String> = Redacted(ReplyEncryption.usualStartVector)
    ) {
        self.mode = mode
        self.key = key
        self.startVector = startVector
    }
}

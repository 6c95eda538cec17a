package import CardModel
import Foundation

#if TripleDES
import CLibCrypto
#endif

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

    package var mode: Mode
    /// The key: 24 bytes of UTF-8, of a longer text the first 24; 16 bytes are used as K1 K2 K1.
    package var key: Redacted<String>
    /// The start vector of the mode ``Mode/cbc``, 8 bytes; the default is that of the convention.
    package var startVector: Redacted<String>

    package init(_ mode: Mode, key: Redacted<String>, startVector: Redacted<String> = Redacted("01234567")) {
        (self.mode, self.key, self.startVector) = (mode, key, startVector)
    }

    var terms: [String] { [self.mode.rawValue, self.key.reveal(), self.startVector.reveal()] }

    /// What is wrong, by the keys that set it.
    package var mistakes: [(key: String, message: Message)] {
        var mistakes: [(String, Message)] = []
        let count = self.key.reveal().utf8.count
        if count != 16, count < 24 {
            mistakes.append(("delivery.reply.key_file", .encryptionKeyLength(count)))
        }
        let vectorCount = self.startVector.reveal().utf8.count
        if self.mode == .cbc, vectorCount != ReplyCipher.blockLength {
            mistakes.append(("delivery.reply.iv", .encryptionVectorLength(vectorCount)))
        }
        // FIPS mode and `openssl.cnf` may forbid it; found out by replies, it would hold every accepted card.
        let block = [UInt8](repeating: 0, count: ReplyCipher.blockLength)
        if mistakes.isEmpty, ReplyCipher.isSupported, ReplyCipher(unchecked: self).decrypted(block) == nil {
            mistakes.append(("delivery.reply.encryption", .encryptionForbidden))
        }
        return mistakes
    }
}

/// Decrypts 3DES replies, without judging whether the result makes sense: a wrong start vector spoils the first eight
/// bytes alone and leaves the padding in order, so only reading the text can tell.
struct ReplyCipher: Sendable {
    static let blockLength = 8

    private let mode: ReplyEncryption.Mode
    private let key: Redacted<[UInt8]>
    private let startVector: Redacted<[UInt8]>

    /// Checks the lengths, and decrypts one block.
    ///
    /// - Throws: `encryption_invalid`, or `encryption_unsupported` where the program was built without the trait
    ///   `TripleDES`.
    init(_ encryption: ReplyEncryption) throws(CodedError) {
        guard Self.isSupported else {
            throw CodedError(ReasonCode(rawValue: "encryption_unsupported"), .configuration, .encryptionUnsupported)
        }
        if let (key, message) = encryption.mistakes.first {
            let code = ReasonCode(rawValue: "encryption_invalid")
            throw CodedError(code, .configuration, .textLabelled(key, message))
        }
        self.init(unchecked: encryption)
    }

    fileprivate init(unchecked encryption: ReplyEncryption) {
        self.mode = encryption.mode
        let key = Array(encryption.key.reveal().utf8)
        // What is longer than 24 bytes is cut, as Java's `DESedeKeySpec` does.
        self.key = Redacted(Array((key + key.prefix(Self.blockLength)).prefix(24)))
        self.startVector = Redacted(Array(encryption.startVector.reveal().utf8))
    }
}

extension ReplyCipher {
    #if TripleDES
    /// Whether this program can decrypt at all.
    static let isSupported = true

    /// Returns the decrypted bytes, padding included; `nil` if they are no whole blocks.
    func decrypted(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: Self.blockLength), let length = CInt(exactly: bytes.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        // Three keys: one of two is expanded before.
        let cipher = self.mode == .cbc ? EVP_des_ede3_cbc() : EVP_des_ede3()
        var plain = [UInt8](repeating: 0, count: bytes.count + Self.blockLength)
        var written: CInt = 0
        guard EVP_DecryptInit_ex(context, cipher, nil, self.key.reveal(), self.startVector.reveal()) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_DecryptUpdate(context, &plain, &written, bytes, length) == 1, written == length
        else { return nil }
        return Array(plain.prefix(bytes.count))
    }
    #else
    static let isSupported = false

    func decrypted(_ bytes: [UInt8]) -> [UInt8]? { nil }
    #endif
}

/// The ways in which Base64 comes out of business backends (RFC 4648, and what happens to it on the way).
enum Base64Spelling {
    /// Returns the bytes a text may stand for, likeliest first; none if it is not Base64 of whole blocks.
    ///
    /// Lines and blanks are taken out; a blank may also be a plus that a form decoder turned into it. The alphabet for
    /// URLs and missing padding are taken, too.
    static func blocks(in text: [UInt8], ofLength length: Int) -> [[UInt8]] {
        let candidates = [text, text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }]
        var found: [[UInt8]] = []
        for candidate in candidates {
            guard let bytes = self.decoded(candidate.filter { !self.isSpace($0) }), !bytes.isEmpty,
                bytes.count.isMultiple(of: length), !found.contains(bytes)
            else { continue }
            found.append(bytes)
        }
        return found
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var digits = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        if !digits.contains(UInt8(ascii: "=")) {
            digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        }
        return Data(base64Encoded: Data(digits)).map(Array.init)
    }
}

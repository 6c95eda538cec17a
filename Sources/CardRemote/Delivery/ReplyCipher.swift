package import CardModel
import Foundation

#if TripleDES
import CLibCrypto
#endif

/// The 3DES encryption of a backend's replies (`delivery.reply.encryption`, `.key`, `.iv`). It follows iOS and Android clients:
/// the bytes of a configured text are the key, neither hashed nor decoded, and the ciphertext is in Base64. Unencrypted replies
/// are read, too, because some backends do not encrypt every reply.
package struct ReplyEncryption: Hashable, Sendable {
    /// The mode of operation.
    package enum Mode: String, CaseIterable, Sendable, Codable {
        /// Each block depends on the previous one, the first on the start vector.
        case cbc = "3des-cbc"
        /// Each block is independent; the start vector is ignored.
        case ecb = "3des-ecb"
    }

    package var mode: Mode
    /// The key: the first 24 bytes of the text in UTF-8; if there are only 16, they are used as K1 K2 K1.
    package var key: Redacted<String>
    /// The start vector of ``Mode/cbc``, 8 bytes; the default is the one that those clients use.
    package var startVector: Redacted<String>

    package init(_ mode: Mode, key: Redacted<String>, startVector: Redacted<String> = Redacted("01234567")) {
        (self.mode, self.key, self.startVector) = (mode, key, startVector)
    }

    var terms: [String] { [self.mode.rawValue, self.key.reveal(), self.startVector.reveal()] }

    /// The mistakes in the settings, by configuration key.
    package var mistakes: [(key: String, message: Message)] {
        var mistakes: [(String, Message)] = []
        let count = self.key.reveal().utf8.count
        if count != 16, count < 24 { mistakes.append(("delivery.reply.key_file", .encryptionKeyLength(count))) }
        let vectorCount = self.startVector.reveal().utf8.count
        if self.mode == .cbc, vectorCount != ReplyCipher.blockLength {
            mistakes.append(("delivery.reply.iv", .encryptionVectorLength(vectorCount)))
        }
        // FIPS mode or `openssl.cnf` may forbid 3DES. Without this check, no reply could be read, and every outcome would be
        // unknown.
        let block = [UInt8](repeating: 0, count: ReplyCipher.blockLength)
        if mistakes.isEmpty, ReplyCipher.isSupported, ReplyCipher(unchecked: self).decrypted(block) == nil {
            mistakes.append(("delivery.reply.encryption", .encryptionForbidden))
        }
        return mistakes
    }
}

/// Decrypts 3DES replies, without checking the result. A wrong start vector changes only the first eight bytes, and the padding
/// stays valid, so only a parser can detect it.
struct ReplyCipher: Sendable {
    static let blockLength = 8

    private let mode: ReplyEncryption.Mode
    private let key: Redacted<[UInt8]>
    private let startVector: Redacted<[UInt8]>

    /// Checks the lengths, and tries to decrypt one block.
    ///
    /// - Throws: `encryption_invalid`; `encryption_unsupported` if the program was built without the trait `TripleDES`.
    init(_ encryption: ReplyEncryption) throws(CodedError) {
        guard Self.isSupported else { throw .configuration("encryption_unsupported", .encryptionUnsupported) }
        if let (key, message) = encryption.mistakes.first {
            throw .configuration("encryption_invalid", .textLabelled(key, message))
        }
        self.init(unchecked: encryption)
    }

    fileprivate init(unchecked encryption: ReplyEncryption) {
        self.mode = encryption.mode
        let key = Array(encryption.key.reveal().utf8)
        // A longer key is cut to 24 bytes, as Java's `DESedeKeySpec` does.
        self.key = Redacted(Array((key + key.prefix(Self.blockLength)).prefix(24)))
        self.startVector = Redacted(Array(encryption.startVector.reveal().utf8))
    }
}

extension ReplyCipher {
    #if TripleDES
    /// Whether this build can decrypt.
    static let isSupported = true

    /// Returns the decrypted bytes with their padding; `nil` if the ciphertext does not consist of whole blocks.
    func decrypted(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: Self.blockLength), let length = CInt(exactly: bytes.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        // The variants for three keys; `init` has expanded a key of 16 bytes.
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

/// Decodes the variants of Base64 that backends send: those of RFC 4648, and texts that were changed on the way.
enum Base64Spelling {
    /// Returns the possible decodings of a text, the likeliest first; none if it is not Base64 of whole blocks. The first
    /// decoding ignores line breaks and blanks. For the second, a blank counts as a plus sign, which form decoders turn into a
    /// blank. The alphabet for URLs and missing padding are accepted, too.
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

import IDCardCore

#if TripleDES
import CLibCrypto
#endif

/// Decrypts 3DES replies, without judging whether the result makes sense: a wrong start vector spoils the first eight
/// bytes alone and leaves the padding in order, so only reading the text can tell.
struct ReplyCipher: Sendable {
    /// The bytes of a block.
    static let blockLength = 8
    private static let keyLength = 24
    private static let shortKeyLength = 16

    private let mode: ReplyEncryption.Mode
    private let key: Redacted<[UInt8]>
    private let startVector: Redacted<[UInt8]>

    /// Checks the lengths.
    ///
    /// - Throws: ``DeliveryError``: `invalid_encryption`, or `unsupported_encryption` where the program was built
    ///   without the trait `TripleDES`.
    init(_ encryption: ReplyEncryption) throws(DeliveryError) {
        guard Self.isSupported else {
            throw DeliveryError(
                .unsupportedEncryption,
                "delivery.reply.encryption: this program was built without the trait TripleDES; build it with the "
                    + "trait and libssl-dev, or ask the backend for replies in the clear"
            )
        }
        self.mode = encryption.mode
        self.key = Redacted(try Self.key(from: Array(encryption.key.reveal().utf8)))
        let vector = Array(encryption.startVector.reveal().utf8)
        guard encryption.mode == .ecb || vector.count == Self.blockLength else {
            throw DeliveryError(
                .invalidEncryption,
                "delivery.reply.iv has \(vector.count) bytes; a start vector of 3DES has \(Self.blockLength)"
            )
        }
        self.startVector = Redacted(vector)
    }

    /// Brings a key to 24 bytes: what is longer is cut, as Java's `DESedeKeySpec` does.
    private static func key(from bytes: [UInt8]) throws(DeliveryError) -> [UInt8] {
        if bytes.count >= self.keyLength { return Array(bytes.prefix(self.keyLength)) }
        if bytes.count == self.shortKeyLength { return bytes + bytes.prefix(self.blockLength) }
        throw DeliveryError(
            .invalidEncryption,
            "delivery.reply.key has \(bytes.count) bytes; a key of 3DES has 24 (what follows is ignored) or 16"
        )
    }
}

#if TripleDES
extension ReplyCipher {
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
        guard EVP_DecryptInit_ex(context, cipher, nil, self.key.reveal(), self.startVector.reveal()) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { return nil }
        var plain = [UInt8](repeating: 0, count: bytes.count + Self.blockLength)
        var written: CInt = 0
        guard EVP_DecryptUpdate(context, &plain, &written, bytes, length) == 1, written == length else { return nil }
        return Array(plain.prefix(bytes.count))
    }
}
#else
extension ReplyCipher {
    /// Whether this program can decrypt at all.
    static let isSupported = false

    /// Returns `nil`: there is nothing here that could decrypt.
    func decrypted(_ bytes: [UInt8]) -> [UInt8]? { nil }
}
#endif

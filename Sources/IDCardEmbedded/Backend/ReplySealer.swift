import FoundationEssentials

#if TripleDES && canImport(CLibCrypto)
import CLibCrypto
#endif

/// Encrypts replies with 3DES and PKCS7 padding, as business backends do.
struct ReplySealer: Sendable {
    #if TripleDES && canImport(CLibCrypto)
    /// Whether this program can encrypt at all.
    static let isSupported = true
    #else
    /// Whether this program can encrypt at all.
    static let isSupported = false
    #endif
    private static let blockLength = 8

    private let mode: EmbeddedBackend.ReplyEncryption.Mode
    private let key: [UInt8]
    private let startVector: [UInt8]

    /// Checks the lengths.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`.
    init(_ encryption: EmbeddedBackend.ReplyEncryption) throws(EmbeddedError) {
        #if !(TripleDES && canImport(CLibCrypto))
        throw Self.failure("Replies cannot be encrypted: this program was built without the trait TripleDES.")
        #else
        let key = Array(encryption.key.utf8)
        switch key.count {
        case 16: self.key = key + key[..<8]
        case 24...: self.key = Array(key[..<24])
        default: throw Self.failure("The key of the replies has \(key.count) bytes; give 16 or 24.")
        }
        let vector = Array(encryption.startVector.utf8)
        guard encryption.mode == .ecb || vector.count == Self.blockLength else {
            throw Self.failure("The start vector of the replies has \(vector.count) bytes; give \(Self.blockLength).")
        }
        self.mode = encryption.mode
        self.startVector = vector
        #endif
    }

    /// Encrypts a text and gives it in Base64, without line breaks.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`.
    func sealed(_ plain: [UInt8]) throws(EmbeddedError) -> String {
        #if TripleDES && canImport(CLibCrypto)
        let padding = Self.blockLength - plain.count % Self.blockLength
        let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
        guard let context = EVP_CIPHER_CTX_new(), let count = CInt(exactly: padded.count) else {
            throw Self.failure("A reply cannot be encrypted.")
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var result = [UInt8](repeating: 0, count: padded.count + Self.blockLength)
        var written: CInt = 0
        let cipher = self.mode == .cbc ? EVP_des_ede3_cbc() : EVP_des_ede3()
        guard EVP_EncryptInit_ex(context, cipher, nil, self.key, self.startVector) == 1,
            EVP_CIPHER_CTX_set_padding(context, 0) == 1,
            EVP_EncryptUpdate(context, &result, &written, padded, count) == 1, written == count
        else {
            throw Self.failure("A reply cannot be encrypted.")
        }
        return Data(result.prefix(padded.count)).base64EncodedString()
        #else
        throw Self.failure("Replies cannot be encrypted: this program was built without the trait TripleDES.")
        #endif
    }

    private static func failure(_ message: String) -> EmbeddedError {
        EmbeddedError(code: .encryptionUnusable, message: message)
    }
}

import FoundationEssentials

#if TripleDES && canImport(CLibCrypto)
import CLibCrypto
#endif

extension EmbeddedBackend {
    /// What replies are written in.
    package enum ReplyFormat: String, CaseIterable, Sendable {
        /// A JSON object; encrypted: a JSON string.
        case json
        /// An XML document; encrypted: bare text.
        case xml
    }

    /// The 3DES of the replies with PKCS7 padding, as business backends do it; its result is written in Base64.
    package struct ReplyEncryption: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// How the blocks hang together.
        package enum Mode: String, CaseIterable, Sendable {
            /// Each block is mixed with the one before, the first with the start vector.
            case cbc = "3des-cbc"
            /// Each block stands alone.
            case ecb = "3des-ecb"
        }

        #if TripleDES && canImport(CLibCrypto)
        /// Whether this program can encrypt: it was built with the trait `TripleDES`.
        package static let isSupported = true
        #else
        /// Whether this program can encrypt: it was built with the trait `TripleDES`.
        package static let isSupported = false
        #endif

        private static let blockLength = 8

        package var mode: Mode
        /// The key: 24 bytes of UTF-8, of a longer text the first 24; 16 bytes are used as K1 K2 K1.
        package var key: String
        /// The start vector of the mode ``Mode/cbc``: 8 bytes.
        package var startVector: String

        /// Describes an encryption.
        package init(_ mode: Mode = .cbc, key: String, startVector: String = "01234567") {
            self.mode = mode
            self.key = key
            self.startVector = startVector
        }

        /// The mode; the rest is secret.
        package var description: String { "ReplyEncryption(\(self.mode.rawValue))" }
        package var debugDescription: String { self.description }
        /// A mirror without the secrets.
        package var customMirror: Mirror { Mirror(self, children: [:]) }

        /// Encrypts a text and gives it in Base64, without line breaks.
        func sealed(_ plain: [UInt8]) throws(EmbeddedError) -> String {
            #if TripleDES && canImport(CLibCrypto)
            let (key, vector) = try self.keyAndVector()
            let padding = Self.blockLength - plain.count % Self.blockLength
            let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
            guard let context = EVP_CIPHER_CTX_new(), let count = CInt(exactly: padded.count) else {
                throw Self.failure("A reply cannot be encrypted: memory is short.")
            }
            defer { EVP_CIPHER_CTX_free(context) }
            var result = [UInt8](repeating: 0, count: padded.count + Self.blockLength)
            var written: CInt = 0
            let cipher = self.mode == .cbc ? EVP_des_ede3_cbc() : EVP_des_ede3()
            guard EVP_EncryptInit_ex(context, cipher, nil, key, vector) == 1,
                EVP_CIPHER_CTX_set_padding(context, 0) == 1,
                EVP_EncryptUpdate(context, &result, &written, padded, count) == 1, written == count
            else {
                throw Self.failure("A reply cannot be encrypted: OpenSSL refuses; it may lack 3DES.")
            }
            return Data(result.prefix(padded.count)).base64EncodedString()
            #else
            throw Self.failure("Replies cannot be encrypted: build this program with the trait TripleDES.")
            #endif
        }

        private func keyAndVector() throws(EmbeddedError) -> (key: [UInt8], vector: [UInt8]) {
            let (key, vector) = (Array(self.key.utf8), Array(self.startVector.utf8))
            guard key.count == 16 || key.count >= 24 else {
                throw Self.failure("The key of the replies has \(key.count) bytes; give 16 or 24.")
            }
            guard self.mode == .ecb || vector.count == Self.blockLength else {
                throw Self.failure(
                    "The start vector of the replies has \(vector.count) bytes; give \(Self.blockLength)."
                )
            }
            return (key.count == 16 ? key + key[..<8] : Array(key[..<24]), vector)
        }

        private static func failure(_ message: String) -> EmbeddedError { EmbeddedError(.encryptionUnusable, message) }
    }
}

import FoundationEssentials
import Hummingbird

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

    /// The 3DES of the replies; its result is written in Base64.
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

        /// How the blocks hang together.
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
        /// The same as ``description``.
        package var debugDescription: String { self.description }
        /// A mirror without the secrets.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }
}

/// Writes business answers in the configured format, encrypted if that is configured.
struct ReplyWriter: Sendable {
    private let format: EmbeddedBackend.ReplyFormat
    private let sealer: ReplySealer?

    /// Takes format and encryption of a configuration.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`.
    init(_ configuration: EmbeddedBackend.Configuration) throws(EmbeddedError) {
        self.format = configuration.replyFormat
        if let encryption = configuration.replyEncryption {
            self.sealer = try ReplySealer(encryption)
        } else {
            self.sealer = nil
        }
    }

    /// The response with an answer.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`, or an encoder's error.
    func response(to answer: UploadAnswer) throws -> Response {
        switch self.format {
        case .json:
            guard let sealer = self.sealer else { return try Response(.ok, json: answer) }
            return try Response(.ok, json: try sealer.sealed(Array(JSONEncoder.sorted.encode(answer))))
        case .xml:
            let text = Self.xml(answer)
            guard let sealer = self.sealer else { return Response(.ok, "application/xml", text.utf8) }
            return Response(.ok, "text/plain", try sealer.sealed(Array(text.utf8)).utf8)
        }
    }

    private static func xml(_ answer: UploadAnswer) -> String {
        func fields(_ code: String, _ message: String) -> String {
            "<RETCODE>\(self.escaped(code))</RETCODE><RETMSG>\(self.escaped(message))</RETMSG>"
        }
        let items = answer.items.map { items in
            "<ITEMS>" + items.map { "<ITEM>\(fields($0.code, $0.message))</ITEM>" }.joined() + "</ITEMS>"
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<RESPONSE>\(fields(answer.code, answer.message))\(items ?? "")</RESPONSE>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// Encrypts replies with 3DES and PKCS7 padding, as business backends do.
private struct ReplySealer: Sendable {
    private static let blockLength = 8

    private let mode: EmbeddedBackend.ReplyEncryption.Mode
    private let key: [UInt8]
    private let startVector: [UInt8]

    /// Checks the lengths.
    init(_ encryption: EmbeddedBackend.ReplyEncryption) throws(EmbeddedError) {
        guard EmbeddedBackend.ReplyEncryption.isSupported else {
            throw Self.failure("Replies cannot be encrypted: build this program with the trait TripleDES.")
        }
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
    }

    /// Encrypts a text and gives it in Base64, without line breaks.
    func sealed(_ plain: [UInt8]) throws(EmbeddedError) -> String {
        #if TripleDES && canImport(CLibCrypto)
        let padding = Self.blockLength - plain.count % Self.blockLength
        let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
        guard let context = EVP_CIPHER_CTX_new(), let count = CInt(exactly: padded.count) else {
            throw Self.failure("A reply cannot be encrypted: memory is short.")
        }
        defer { EVP_CIPHER_CTX_free(context) }
        var result = [UInt8](repeating: 0, count: padded.count + Self.blockLength)
        var written: CInt = 0
        let cipher = self.mode == .cbc ? EVP_des_ede3_cbc() : EVP_des_ede3()
        guard EVP_EncryptInit_ex(context, cipher, nil, self.key, self.startVector) == 1,
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

    private static func failure(_ message: String) -> EmbeddedError {
        EmbeddedError(.encryptionUnusable, message)
    }
}

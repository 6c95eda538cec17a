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

        /// Whether this program can encrypt: it was built with the trait `TripleDES`.
        package static var isSupported: Bool { ReplySealer.isSupported }

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

import OutboundHTTP

/// What the backend says of a delivery, cut to what may go into messages.
///
/// A RETMSG is free text of a foreign system: it may quote the form. What is known to be personal or secret is masked:
/// the values of the delivery's own parts, and every run of six digits and more.
struct BackendWords: Hashable, Sendable {
    /// The longest text taken over, in characters.
    static let maximumLength = 200
    /// The longest RETCODE taken over, in characters.
    static let maximumCodeLength = 64

    /// The RETCODE, as text.
    let code: String
    /// The RETMSG, masked and cut; empty if there is none.
    let text: String

    /// Takes the words of a reply.
    ///
    /// - Parameters:
    ///   - code: the RETCODE.
    ///   - text: the RETMSG.
    ///   - secrets: the values that must not appear.
    init(code: String, text: String, masking secrets: [String]) {
        self.code = code
        self.text = Self.presentable(text, masking: secrets)
    }

    /// The code, if it has the shape of one: it is persisted and shown.
    var boundedCode: String {
        let isCode = self.code.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
        }
        return isCode && (1...Self.maximumCodeLength).contains(self.code.utf8.count) ? self.code : "unknown_retcode"
    }

    /// The code and, if there is one, the text, for messages.
    var quoted: String { self.text.isEmpty ? self.boundedCode : "\(self.boundedCode): \(self.text)" }

    private static func presentable(_ text: String, masking secrets: [String]) -> String {
        var text = text
        // Longest first: one value may be a piece of another. A value of one or two characters would mask half the
        // alphabet.
        for secret in secrets.filter({ $0.count > 2 }).sorted(by: { $0.count > $1.count }) {
            text = text.replacing(secret, with: "…")
        }
        text = text.replacing(/[0-9０-９]{6,}[XxＸｘ]?/, with: "…")
        let printable = text.unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: " "
            default: Character(scalar)
            }
        }
        return String(String(printable).trimmed.prefix(self.maximumLength))
    }
}

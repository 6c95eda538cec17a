/// What the backend says of a delivery, cut to what may go into messages.
///
/// A RETMSG is free text of a foreign system: it may quote the form, and what the backend reads from the image.
struct BackendWords: Hashable, Sendable {
    /// The longest RETCODE taken over, in characters.
    static let maximumCodeLength = 16
    /// From how many digits on a RETCODE may be the number of an identity card: the old ones have 15.
    static let leastIdentityDigits = 15

    /// The RETCODE, as text: to be compared, never to be shown.
    let code: String
    /// The RETCODE if it has the shape of one, else `unknown_retcode`: it is persisted and shown.
    let boundedCode: String
    /// The RETMSG, masked and cut; empty if there is none.
    let text: String

    /// Takes the words of a reply.
    ///
    /// - Parameters:
    ///   - code: the RETCODE.
    ///   - text: the RETMSG.
    ///   - mask: takes out what must not appear.
    init(code: String, text: String, mask: MessageMask) {
        self.code = code
        self.boundedCode = Self.isShowable(code) && !mask.holdsValue(code) ? code : "unknown_retcode"
        self.text = mask.presentable(text)
    }

    /// The code and, if there is one, the text, for messages that only the sealed part of the sandbox takes.
    var quoted: String { self.text.isEmpty ? self.boundedCode : "\(self.boundedCode): \(self.text)" }

    private static func isShowable(_ code: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isCode = code.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || digits.contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
        }
        return isCode && (1...self.maximumCodeLength).contains(code.utf8.count)
            && code.utf8.count(where: digits.contains) < self.leastIdentityDigits
    }
}

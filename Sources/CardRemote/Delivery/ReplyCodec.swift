import CardModel

/// Finds out by its content what a reply is written in, and reads it.
///
/// In this order: a JSON object, XML, a JSON string or bare text that holds one of the two, and the same in Base64 and
/// 3DES. What was decrypted counts only if it reads as JSON or XML; ciphertext never says anything by itself.
struct ReplyCodec: Sendable {
    enum Reading: Hashable, Sendable {
        /// It reads; whether a code is in it is another question.
        case document(ReplyDocument)
        /// It is nothing of what is known.
        case unknownFormat
        /// It may be encrypted, and no encryption is configured.
        case encrypted
        /// It may be encrypted, but the configured key and mode make no sense of it.
        case undeciphered
        /// It is in a coding or a charset that cannot be read; why.
        case unreadable(Message)

        var isDocument: Bool { if case .document = self { true } else { false } }
    }

    var names = ReplyNames()
    /// What decrypts; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    func reading(of reply: HTTPReply) -> Reading {
        let bytes: [UInt8]
        do throws(Message) {
            bytes = Self.trimmed(try ReplyText.utf8(of: reply))
        } catch {
            return .unreadable(error)
        }
        if let document = self.document(bytes) { return .document(document) }
        let text = Self.unquoted(bytes)
        if text != bytes, let document = self.document(Self.trimmed(text)) { return .document(document) }
        let ciphertexts = Base64Spelling.blocks(in: text, ofLength: ReplyCipher.blockLength)
        guard !ciphertexts.isEmpty else { return .unknownFormat }
        guard let cipher = self.cipher else { return .encrypted }
        for ciphertext in ciphertexts {
            // What was encrypted is in a charset of its own: that of its declaration, or the label of the reply.
            guard let plain = cipher.decrypted(ciphertext).map(Self.unpadded),
                let text = (try? ReplyText.utf8(plain, charset: nil))
                    ?? (try? ReplyText.utf8(plain, charset: reply.charset)),
                let document = self.document(Self.trimmed(text))
            else { continue }
            return .document(document)
        }
        return .undeciphered
    }

    private func document(_ bytes: [UInt8]) -> ReplyDocument? {
        switch bytes.first {
        case UInt8(ascii: "{"): ReplyDocument(json: bytes, names: self.names)
        case UInt8(ascii: "<"): ReplyDocument(xml: bytes, names: self.names)
        default: nil
        }
    }

    /// The text of a JSON string, or what stands in quotes; other bytes as they are.
    ///
    /// Base64 in lines is no valid JSON string any more, and yet it is met: hence the plain quotes.
    private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
        if case .string(let text) = JSONValue(parsing: bytes) { return Array(text.utf8) }
        guard bytes.count >= 2, let first = bytes.first, first == bytes.last, "\"'".utf8.contains(first) else {
            return bytes
        }
        return Array(bytes.dropFirst().dropLast())
    }

    /// Takes the white space of ASCII off the ends.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes.drop(while: Base64Spelling.isSpace)
        while let last = rest.last, Base64Spelling.isSpace(last) { rest.removeLast() }
        return Array(rest)
    }

    /// Takes the padding off, of PKCS7 or of zeros, if there is one: whether it was right is for the reader to find.
    private static func unpadded(_ bytes: [UInt8]) -> [UInt8] {
        guard let last = bytes.last else { return bytes }
        let count = Int(last)
        if (1...ReplyCipher.blockLength).contains(count), bytes.suffix(count).allSatisfy({ $0 == last }) {
            return bytes.dropLast(count)
        }
        return Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
    }
}

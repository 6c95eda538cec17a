import CardModel

/// Recognises the format of a reply by its content, and reads it. It tries, in this order: a JSON object or XML; one of these
/// within a JSON string or quotes; one of these encrypted with 3DES in Base64. Nothing but the parser shows whether decrypting
/// succeeded, so a decrypted text counts only if it is JSON or XML.
struct ReplyCodec: Sendable {
    enum Reading: Hashable, Sendable {
        /// A document that was read, with or without a code.
        case document(ReplyDocument)
        /// The reply has no known format.
        case unknownFormat
        /// The reply may be encrypted, but no encryption is configured.
        case encrypted
        /// The reply may be encrypted, but the configured key and mode give no document.
        case undeciphered
        /// The reply has an unsupported coding or charset; the message says which.
        case unreadable(Message)

        var isDocument: Bool { if case .document = self { true } else { false } }
    }

    var names = ReplyNames()
    /// Decrypts replies; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    /// Reads a reply in the first format in which it is a document.
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
            // The charset of the plaintext is the one that its XML declaration names, or else the one in the reply's header.
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

    /// Returns the text within a JSON string, or just within quotes; other bytes unchanged. Just within quotes, because backends
    /// send Base64 with line breaks, which is not valid in a JSON string.
    private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
        if case .string(let text) = JSONValue(parsing: bytes) { return Array(text.utf8) }
        guard bytes.count >= 2, let first = bytes.first, first == bytes.last, "\"'".utf8.contains(first) else {
            return bytes
        }
        return Array(bytes.dropFirst().dropLast())
    }

    /// Removes ASCII white space from both ends.
    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var remaining = bytes.drop(while: Base64Spelling.isSpace)
        while let last = remaining.last, Base64Spelling.isSpace(last) { remaining.removeLast() }
        return Array(remaining)
    }

    /// Removes padding of PKCS7 or zeros, if there seems to be any; if that was wrong, the parser refuses the text.
    private static func unpadded(_ bytes: [UInt8]) -> [UInt8] {
        guard let last = bytes.last else { return bytes }
        let count = Int(last)
        if (1...ReplyCipher.blockLength).contains(count), bytes.suffix(count).allSatisfy({ $0 == last }) {
            return bytes.dropLast(count)
        }
        return Array(bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)])
    }
}

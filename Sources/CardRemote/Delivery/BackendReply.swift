import CardModel
import MultipartForm

/// Turns a reply of the backend, its status, headers and body, into an outcome. ``BackendAnswers`` has the content of an answer,
/// ``BackendMeaning`` its meaning.
struct BackendReply: Sendable {
    var table = RetcodeTable()
    var names = ReplyNames()
    /// Decrypts replies; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    /// Returns the outcome of a reply to a form; the mask removes the form's values from messages.
    func outcome(of reply: HTTPReply, mask: MessageMask, shape: DeliveryShape = DeliveryShape()) -> DeliveryOutcome {
        let reading = ReplyCodec(names: self.names, cipher: self.cipher).reading(of: reply)
        let answers = BackendAnswers(reading, of: reply, shape: shape, table: self.table, mask: mask)
        return answers.outcomeOfItems ?? answers.outcome(unreadable: self.unreadable(reply, reading))
    }

    /// Returns the names of fields that are plain words, because other names of a foreign system may contain personal data.
    private static func shown(_ names: [String]) -> [String] {
        let plain = names.prefix(8).filter { name in
            name.utf8.count <= 40 && name.utf8.allSatisfy { $0.isASCIIAlphanumeric && $0 > 0x39 || $0 == 0x5F }
        }
        return plain + (plain.count < names.count ? ["…"] : [])
    }

    /// Returns the message about an answer that cannot be understood.
    private func unreadable(_ reply: HTTPReply, _ reading: ReplyCodec.Reading) -> Message {
        let (status, count) = (reply.status, reply.body.count)
        return switch reading {
        case _ where reply.isHTML(isXML: reading.isDocument): .replyHTML(status, count)
        case .document(let document):
            .replyNoCode(status, count, code: self.names.code, fields: Self.shown(document.fields))
        case .encrypted: .replyEncrypted(status, count)
        case .undeciphered: .replyUndeciphered(status, count)
        case .unreadable(let why): .replyUnreadable(status, count, why)
        case .unknownFormat: .replyUnknownFormat(status, count)
        }
    }
}

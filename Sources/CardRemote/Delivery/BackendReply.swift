import CardModel
import MultipartForm

/// Reads the backend's replies: a pure function of status, headers and body. What an answer says stands in
/// ``BackendAnswers``, what that means in ``BackendMeaning``.
struct BackendReply: Sendable {
    var table = RetcodeTable()
    var names = ReplyNames()
    /// What decrypts replies; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    /// Judges a reply to a form; the mask keeps the values in it out of messages.
    func outcome(of reply: HTTPReply, mask: MessageMask, shape: DeliveryShape = DeliveryShape()) -> DeliveryOutcome {
        let reading = ReplyCodec(names: self.names, cipher: self.cipher).reading(of: reply)
        let answers = BackendAnswers(reading, of: reply, shape: shape, table: self.table, mask: mask)
        let judge = BackendJudge(reply: reply, table: self.table)
        return self.itemsOutcome(answers, judge)
            ?? judge.outcome(of: answers, unreadable: self.unreadable(reply, reading))
    }

    /// What answers card by card mean; `nil` where there are none that count, and the whole decides.
    private func itemsOutcome(_ answers: BackendAnswers, _ judge: BackendJudge) -> DeliveryOutcome? {
        let status = judge.reply.status
        guard judge.reply.isSuccess || (400..<500).contains(status) else { return nil }
        switch answers.items {
        case .absent: return nil
        case .contradictory(let count):
            let isCertain =
                judge.reply.isSuccess || answers.hasHeldItem || Self.isCertainUnderErrors(answers.whole, status)
            return isCertain ? .failed(judge.mismatch(count: count)) : nil
        case .byMember(let items):
            if !judge.reply.isSuccess {
                // An error that took documents in: it cannot be known which of the two is wrong.
                if items.contains(where: { $0?.meaning == .success }) {
                    return .failed(judge.mismatch(count: items.count))
                }
                let areCertain = items.allSatisfy { Self.isCertainUnderErrors($0, status) }
                let isRefusal = BackendMeaning(status: status, words: .code(.unlisted)).failureClass == .rejected
                guard areCertain || isRefusal && judge.reply.isComplete else { return nil }
            }
            return self.outcome(of: items, answers.whole, judge)
        }
    }

    private func outcome(
        of items: [BackendAnswer?],
        _ whole: BackendAnswer?,
        _ judge: BackendJudge
    ) -> DeliveryOutcome {
        let meanings = items.map { $0?.meaning }
        let areHeld = meanings.map { $0?.isHeld ?? false }
        // A refusal beside nothing but acceptances contradicts itself: "rolled back" is one of its meanings. That all are
        // there already is a refusal of its own kind.
        if let whole, !whole.meaning.isHeld, areHeld.allSatisfy({ $0 }), meanings.contains(.success) {
            return .failed(judge.mismatch(count: items.count))
        }
        if let whole, whole.meaning == .tokenExpired {
            return areHeld.contains(true)
                ? .failed(judge.mismatch(count: items.count)) : .tokenExpired(judge.refusedToken(whole.code))
        }
        // Nothing was applied: the stage waits for the new TOKEN instead of learning it card by card.
        if let first = items.first ?? nil, meanings.allSatisfy({ $0 == .tokenExpired }) {
            return .tokenExpired(judge.refusedToken(first.code))
        }
        return .items(items.map(judge.itemOutcome))
    }

    /// Whether a code says the same under an error status as under one of success.
    private static func isCertainUnderErrors(_ answer: BackendAnswer?, _ status: Int) -> Bool {
        guard let answer, answer.meaning != .unlisted, answer.meaning != .success else { return false }
        let certain: [BackendMeaning] = [.alreadyThere, .token, .later, .refused]
        return certain.contains(BackendMeaning(status: status, words: .code(answer.meaning)))
    }

    /// Names of fields as far as they are plain words: a foreign name may be anything.
    private static func shown(_ names: [String]) -> [String] {
        let plain = names.prefix(8).filter { name in
            name.utf8.count <= 40 && name.utf8.allSatisfy { $0.isASCIIAlphanumeric && $0 > 0x39 || $0 == 0x5F }
        }
        return plain + (plain.count < names.count ? ["…"] : [])
    }

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

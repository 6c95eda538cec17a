import CardModel
import MultipartForm

/// Reads the backend's replies: a pure function of status, headers and body.
///
/// A delivery is not repeatable without its key, so the line between "refused" and "nobody knows" decides here: only an
/// answer that is certain is `rejected` or `stop`, every other one is `unknown`.
struct BackendReply: Sendable {
    var table = RetcodeTable()
    var names = ReplyNames()
    /// What decrypts replies; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    /// Judges a reply to a form; the mask keeps the values in it out of messages.
    func outcome(of reply: HTTPReply, mask: MessageMask, shape: DeliveryShape = DeliveryShape()) -> DeliveryOutcome {
        let reading = ReplyCodec(names: self.names, cipher: self.cipher).reading(of: reply)
        var answers = BackendAnswers()
        if case .document(let document) = reading {
            answers = BackendAnswers(document, shape: shape, table: self.table, mask: mask)
        }
        let judge = BackendJudge(reply: reply, table: self.table)
        if reply.isSuccess { return self.outcome(answers, judge) ?? .failed(self.unreadable(reply, reading)) }
        return self.definiteOutcome(answers, judge) ?? judge.statusOutcome(answers.whole)
    }

    /// What an answer under a status of success means; `nil` without a code.
    private func outcome(_ answers: BackendAnswers, _ judge: BackendJudge) -> DeliveryOutcome? {
        switch answers.items {
        case .contradictory(let count):
            return .failed(judge.mismatch(count: count))
        case .byMember(let items):
            let meanings = items.map { $0?.meaning }
            let areHeld = meanings.map { $0?.isHeld ?? false }
            // A refusal beside nothing but acceptances contradicts itself: "rolled back" is one of its meanings. That
            // all are there already is a refusal of its own kind.
            if let whole = answers.whole, !whole.meaning.isHeld, areHeld.allSatisfy({ $0 }), meanings.contains(.success)
            {
                return .failed(judge.mismatch(count: items.count))
            }
            if let whole = answers.whole, whole.meaning == .tokenExpired {
                return areHeld.contains(true) ? .failed(judge.mismatch(count: items.count)) : judge.outcome(of: whole)
            }
            // Nothing was applied: the stage waits for the new TOKEN instead of learning it card by card.
            if let first = items.first ?? nil, meanings.allSatisfy({ $0 == .tokenExpired }) {
                return judge.outcome(of: first)
            }
            return .items(items.map(judge.itemOutcome))
        case .absent:
            return answers.whole.map(judge.outcome)
        }
    }

    /// What a RETCODE under an error status of the client's side still says for certain; the status counts in all other
    /// cases.
    private func definiteOutcome(_ answers: BackendAnswers, _ judge: BackendJudge) -> DeliveryOutcome? {
        guard (400..<500).contains(judge.reply.status), judge.reply.status != 422 else { return nil }
        let whole = answers.whole.flatMap { Self.isCertainUnderErrors($0) ? $0 : nil }
        switch answers.items {
        case .absent:
            // "Success" under an error status contradicts itself, and of a refusal the status knows more.
            return whole.map(judge.outcome)
        case .contradictory(let count):
            return whole == nil && !answers.hasHeldItem ? nil : .failed(judge.mismatch(count: count))
        case .byMember(let items):
            // An error that took documents in: which of the two is wrong, nobody can say.
            if items.contains(where: { $0?.meaning == .success }) {
                return .failed(judge.mismatch(count: items.count))
            }
            return items.allSatisfy(Self.isCertainUnderErrors) || judge.isRefusal ? self.outcome(answers, judge) : nil
        }
    }

    /// Whether a code says the same under an error status as under one of success.
    private static func isCertainUnderErrors(_ answer: BackendAnswer?) -> Bool {
        switch answer?.meaning {
        case .alreadyExists, .tokenExpired, .retryable: true
        case .success, .refusal, .unlisted, nil: false
        }
    }

    /// Names of fields as far as they are plain words: a foreign name may be anything.
    private static func shown(_ names: [String]) -> [String] {
        let plain = names.prefix(8).filter { name in
            name.utf8.count <= 40 && name.utf8.allSatisfy { $0.isASCIIAlphanumeric && $0 > 0x39 || $0 == 0x5F }
        }
        return plain + (plain.count < names.count ? ["…"] : [])
    }

    private func unreadable(_ reply: HTTPReply, _ reading: ReplyCodec.Reading) -> RemoteFailure {
        let (status, count) = (reply.status, reply.body.count)
        let message: Message =
            switch reading {
            case .document(let document):
                .replyNoCode(status, count, code: self.names.code, fields: Self.shown(document.fields))
            case .encrypted: .replyEncrypted(status, count)
            case .undeciphered: .replyUndeciphered(status, count)
            case .unreadable(let why): .replyUnreadable(status, count, why)
            case .unknownFormat where reply.mediaType == "text/html": .replyHTML(status, count)
            case .unknownFormat: .replyUnknownFormat(status, count)
            }
        return RemoteFailure(.unknown, code: "unreadable_reply", message: message, httpStatus: status)
    }
}

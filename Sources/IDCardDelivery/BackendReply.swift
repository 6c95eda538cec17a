import IDCardCore
import OutboundHTTP

/// Reads the backend's replies: a pure function of status, headers and body.
///
/// A delivery is not repeatable without its key, so the line between "refused" and "nobody knows" decides here: only an
/// answer that is certain is `rejected` or `stop`, every other one is `unknown`.
struct BackendReply: Sendable {
    /// What the RETCODEs mean.
    var table = RetcodeTable()
    /// The names of the reply's fields.
    var names = ReplyNames()
    /// What decrypts replies; `nil` if no encryption is configured.
    var cipher: ReplyCipher?

    /// Judges a reply.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - mask: takes the values that no message may repeat out of the backend's words.
    ///   - shape: how many cards the form held.
    func outcome(of reply: HTTPReply, mask: MessageMask, shape: DeliveryShape = .single) -> DeliveryOutcome {
        let reading = ReplyCodec(names: self.names, cipher: self.cipher).reading(of: reply.body)
        var answers = BackendAnswers()
        if case .document(let document) = reading {
            answers = BackendAnswers(document, shape: shape, table: self.table, mask: mask)
        }
        let circumstances = BackendCircumstances(reply)
        if reply.isSuccess {
            return self.outcome(answers, circumstances) ?? .failed(self.unreadable(reply, reading))
        }
        return self.definiteOutcome(answers, circumstances)
            ?? .failed(Self.statusFailure(of: reply, answers))
    }

    /// The failure that a status is. A refusal of the form as such may concern every card, unless its code is listed, or it
    /// is about the size of this one.
    private static func statusFailure(of reply: HTTPReply, _ answers: BackendAnswers) -> RemoteFailure {
        var failure = BackendStatus.failure(of: reply, words: answers.whole?.words)
        failure.isUnlisted =
            failure.failureClass == .rejected && reply.status != 413 && answers.whole?.meaning != .refusal
        return failure
    }

    /// What an answer under a status of success means; `nil` without a code.
    private func outcome(_ answers: BackendAnswers, _ circumstances: BackendCircumstances) -> DeliveryOutcome? {
        switch answers.items {
        case .contradictory(let count):
            return .failed(circumstances.mismatch(count: count))
        case .byMember(let items):
            // A refusal beside nothing but acceptances contradicts itself: "rolled back" is one of its meanings. That all
            // are there already is a refusal of its own kind.
            if let whole = answers.whole, !whole.isHeld, items.allSatisfy(\.isHeld),
                items.contains(where: { $0.meaning == .success })
            {
                return .failed(circumstances.mismatch(count: items.count))
            }
            let isTokenRefused = answers.whole?.meaning == .tokenExpired
            if isTokenRefused, items.contains(where: \.isHeld) {
                return .failed(circumstances.mismatch(count: items.count))
            }
            if let whole = answers.whole, isTokenRefused { return circumstances.outcome(of: whole) }
            // Nothing was applied: the stage waits for the new TOKEN instead of learning it card by card.
            if let first = items.first, items.allSatisfy({ $0.meaning == .tokenExpired }) {
                return circumstances.outcome(of: first)
            }
            return .items(items.map(circumstances.itemOutcome(of:)))
        case .absent:
            return answers.whole.map(circumstances.outcome(of:))
        }
    }

    /// What a RETCODE under an error status of the client's side still says for certain; the status counts in all other
    /// cases.
    private func definiteOutcome(_ answers: BackendAnswers, _ circumstances: BackendCircumstances) -> DeliveryOutcome? {
        guard (400..<500).contains(circumstances.status), circumstances.status != 422 else { return nil }
        let whole = answers.whole.flatMap { $0.meaning.isCertainUnderErrors ? $0 : nil }
        switch answers.items {
        case .absent:
            // "Success" under an error status contradicts itself, and of a refusal the status knows more.
            return whole.map(circumstances.outcome(of:))
        case .contradictory(let count):
            return whole == nil && !answers.hasHeldItem ? nil : .failed(circumstances.mismatch(count: count))
        case .byMember(let items):
            // An error that took documents in: which of the two is wrong, nobody can say.
            if items.contains(where: { $0.meaning == .success }) {
                return .failed(circumstances.mismatch(count: items.count))
            }
            let areCertain = items.allSatisfy(\.meaning.isCertainUnderErrors)
            return areCertain || circumstances.isRefusal ? self.outcome(answers, circumstances) : nil
        }
    }

    private func unreadable(_ reply: HTTPReply, _ reading: ReplyCodec.Reading) -> RemoteFailure {
        let (what, remedy): (String, String) =
            switch reading {
            case .document:
                (
                    "without a \(self.names.code) that is certain",
                    "check delivery.url and the names of the reply's fields"
                )
            case .encrypted:
                ("in what looks like Base64 of 3DES", "set delivery.reply.encryption and delivery.reply.key")
            case .undeciphered:
                (
                    "in what the configured 3DES makes no sense of",
                    "check delivery.reply.encryption, delivery.reply.key and delivery.reply.iv"
                )
            case .unknownFormat:
                (
                    "with \(Self.described(reply)), without a \(self.names.code)",
                    "check delivery.url"
                )
            }
        return RemoteFailure(
            .unknown,
            code: "unreadable_reply",
            message: "the backend answered \(reply.status) \(what) (\(reply.body.count) bytes): "
                + "whether it took the documents is unknown; \(remedy)",
            httpStatus: reply.status
        )
    }

    private static func described(_ reply: HTTPReply) -> String {
        reply.mediaType == "text/html" ? "HTML" : "neither JSON nor XML"
    }
}

extension RetcodeTable.Meaning {
    /// Whether a code says the same under an error status as under one of success.
    fileprivate var isCertainUnderErrors: Bool {
        switch self {
        case .alreadyExists, .tokenExpired, .retryable: true
        case .success, .refusal, .unlisted: false
        }
    }
}

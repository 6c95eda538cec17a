import CardModel

/// The outcomes of one answer: of a delivery as a whole, and of its cards one by one.
struct BackendJudge: Sendable {
    let reply: HTTPReply
    let table: RetcodeTable

    // MARK: The whole

    /// The outcome of a delivery that was answered as a whole, or not at all.
    ///
    /// - Parameter unreadable: what is said of an answer that cannot be understood.
    func outcome(of answers: BackendAnswers, unreadable: @autoclosure () -> Message) -> DeliveryOutcome {
        let (answer, status) = (answers.whole, self.reply.status)
        var meaning = BackendMeaning(status: status, words: answers.words, asksToWait: self.reply.retryAfter != nil)
        if meaning.isStop, meaning != .proxy, self.table.tokenExpired.contains("http_\(status)") { meaning = .token }
        switch (meaning, answer) {
        case (.accepted, let answer?), (.alreadyThere, let answer?):
            return .accepted(alreadyExisted: meaning == .alreadyThere, code: answer.code)
        case (.token, _):
            let code = answers.words == .code(.tokenExpired) ? answer?.code : nil
            return .tokenExpired(self.refusedToken(code ?? "http_\(status)"))
        case (.later, let answer?): return .failed(self.later(answer))
        case (.refused, let answer?), (.unlisted, let answer?): return .failed(self.refusal(answer))
        case (_, _) where self.reply.isSuccess:
            var failure = self.failure(.unknown, "unreadable_reply", unreadable())
            failure.isUnreadable = meaning == .unreadable
            return .failed(failure)
        default: return .failed(self.failure(meaning, answer))
        }
    }

    /// A failure that the status decides.
    private func failure(_ meaning: BackendMeaning, _ answer: BackendAnswer?) -> RemoteFailure {
        let status = self.reply.status
        let code =
            switch meaning {
            case .inProgress: "in_progress"
            case .keyConflict: "idempotency_key_conflict"
            case .tooLarge: answer?.code ?? "http_\(status)"
            default: "http_\(status)"
            }
        // The reason of a stopped stage is shown in clear: the backend's text has no place there.
        let said = answer.map { meaning.isStop ? .textVerbatim($0.code) : $0.quoted }
        let message: Message =
            said.map { .backendStatusAndCode(status, $0, meaning.message) } ?? .backendStatus(status, meaning.message)
        var failure = self.failure(meaning.failureClass ?? .unknown, code, message)
        failure.stopScope = meaning == .proxy ? .account : .request
        failure.mayBeApplied = meaning.mayBeApplied
        return failure
    }

    /// The failure of a delivery whose answers, so many, contradict each other or its form.
    func mismatch(count: Int) -> RemoteFailure {
        self.failure(.unknown, "items_mismatch", .backendMismatch(self.reply.status, items: count))
    }

    // MARK: One card

    /// The outcome of one card of a delivery; `nil` is a card that the reply does not name.
    func itemOutcome(of answer: BackendAnswer?) -> DeliveryItemOutcome {
        guard let answer else { return .unknown(self.failure(.unknown, "item_missing", .backendItemMissing)) }
        switch answer.meaning {
        case .success, .alreadyExists:
            return .accepted(alreadyExisted: answer.meaning == .alreadyExists, code: answer.code)
        case .tokenExpired: return .notApplied(self.refusedToken(answer.code))
        case .retryable: return .notApplied(self.later(answer))
        case .refusal, .unlisted: return .rejected(self.refusal(answer))
        }
    }

    /// The reason of a stopped stage is shown in clear: the backend's text has no place there.
    func refusedToken(_ code: String) -> RemoteFailure { self.failure(.stop, code, .backendToken(code)) }

    /// A definite "not now": nothing was applied, so this is no unknown outcome.
    private func later(_ answer: BackendAnswer) -> RemoteFailure {
        self.failure(.transient, answer.code, .backendLater(answer.quoted))
    }

    private func refusal(_ answer: BackendAnswer) -> RemoteFailure {
        var message: Message =
            switch (answer.meaning, self.table.unlisted) {
            case (.unlisted, .hold): .backendUnlisted(answer.quoted)
            case (.unlisted, .reject): .backendUnlistedRefused(answer.quoted)
            default: .backendRefused(answer.quoted)
            }
        if !self.reply.isSuccess { message = .backendStatus(self.reply.status, message) }
        let isUnlisted = answer.meaning == .unlisted && self.table.unlisted == .hold
        // An answer that came once too often may have been meant for the card before.
        if isUnlisted, self.reply.isOnReusedConnection { message = .backendReused(message) }
        var failure = self.failure(.rejected, answer.code, message)
        if isUnlisted { failure.unlistedCode = answer.spellings }
        return failure
    }

    private func failure(_ failureClass: FailureClass, _ code: String, _ message: Message) -> RemoteFailure {
        RemoteFailure(
            failureClass,
            code: code,
            message: message,
            httpStatus: self.reply.status,
            retryAfter: self.reply.retryAfter
        )
    }
}

import CardModel

/// The outcomes that codes and the status itself have under one reply.
struct BackendJudge: Sendable {
    let reply: HTTPReply
    let table: RetcodeTable

    /// The outcome of a delivery that was answered as a whole.
    func outcome(of answer: BackendAnswer) -> DeliveryOutcome {
        switch self.itemOutcome(of: answer) {
        case .accepted(let alreadyExisted, let code): .accepted(alreadyExisted: alreadyExisted, code: code)
        case .rejected(let failure), .unknown(let failure): .failed(failure)
        case .notApplied(let failure): answer.meaning == .tokenExpired ? .tokenExpired(failure) : .failed(failure)
        }
    }

    /// The outcome of one card of a delivery; `nil` is a card that the reply does not name.
    func itemOutcome(of answer: BackendAnswer?) -> DeliveryItemOutcome {
        guard let answer else { return .unknown(self.failure(.unknown, "item_missing", .backendItemMissing)) }
        switch answer.meaning {
        case .success, .alreadyExists:
            return .accepted(alreadyExisted: answer.meaning == .alreadyExists, code: answer.code)
        case .tokenExpired:
            return .notApplied(self.refusedToken(answer.code))
        case .retryable:
            // A definite "not now": nothing was applied, so this is no unknown outcome.
            return .notApplied(self.failure(.transient, answer.code, .backendLater(answer.quoted)))
        case .refusal, .unlisted:
            return .rejected(self.refusal(answer))
        }
    }

    /// The reason of a stopped stage is shown in clear: the backend's text has no place there.
    private func refusedToken(_ code: String) -> RemoteFailure { self.failure(.stop, code, .backendToken(code)) }

    private func refusal(_ answer: BackendAnswer) -> RemoteFailure {
        let isUnlisted = answer.meaning == .unlisted && self.table.unlisted == .hold
        let message = self.refusalMessage(answer)
        var failure = self.failure(.rejected, answer.code, isUnlisted ? self.mayBeAnother(message) : message)
        failure.isUnlisted = isUnlisted
        return failure
    }

    /// What to do about a code that refuses a document, whatever the status.
    private func refusalMessage(_ answer: BackendAnswer) -> Message {
        switch (answer.meaning, self.table.unlisted) {
        case (.unlisted, .hold): .backendUnlisted(answer.quoted)
        case (.unlisted, .reject): .backendUnlistedRefused(answer.quoted)
        default: .backendRefused(answer.quoted)
        }
    }

    /// Adds what to do about an answer that may have been meant for the card before.
    private func mayBeAnother(_ message: Message) -> Message {
        self.reply.isOnReusedConnection ? .backendReused(message) : message
    }

    /// The failure of a delivery whose answers, so many, contradict each other or its form.
    func mismatch(count: Int) -> RemoteFailure {
        self.failure(.unknown, "items_mismatch", .backendMismatch(self.reply.status, items: count))
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

// MARK: The status

extension BackendJudge {
    /// What follows from a status other than success, where no code decides.
    func statusOutcome(_ answer: BackendAnswer?) -> DeliveryOutcome {
        let (failureClass, meaning) = self.statusMeaning(answer)
        let status = self.reply.status
        if failureClass == .stop, status == 401 || self.table.tokenExpired.contains("http_\(status)") {
            return .tokenExpired(self.refusedToken("http_\(status)"))
        }
        let ownCode = [409: "in_progress", 422: "idempotency_key_conflict"][status] ?? "http_\(status)"
        let isListed = answer?.meaning == .refusal
        let isUnlisted = self.isAboutCard(failureClass) && !isListed && self.table.unlisted == .hold
        let message = self.statusMessage(answer, failureClass, meaning)
        var failure = self.failure(
            failureClass,
            failureClass == .rejected ? answer?.code ?? ownCode : ownCode,
            isUnlisted || failureClass == .stop ? self.mayBeAnother(message) : message
        )
        failure.stopScope = status == 407 ? .account : .request
        failure.isUnlisted = isUnlisted
        // A gateway may put every other status in the place of an answer of the backend, whatever that did.
        failure.mayBeApplied =
            switch failureClass {
            case .rejected: false
            case .stop where isListed && status >= 400: false
            default: ![407, 429].contains(status) || answer?.meaning == .success
            }
        return .failed(failure)
    }

    private func statusMessage(_ answer: BackendAnswer?, _ failureClass: FailureClass, _ meaning: Message) -> Message {
        guard let answer else { return .backendStatus(self.reply.status, meaning) }
        if self.isAboutCard(failureClass) { return .backendStatus(self.reply.status, self.refusalMessage(answer)) }
        // The reason of a stopped stage is shown in clear: the backend's text has no place there.
        let shown: Message = failureClass == .stop ? .backendCode(answer.code) : answer.quoted
        return .backendStatusAndCode(self.reply.status, shown, meaning)
    }

    private func isAboutCard(_ failureClass: FailureClass) -> Bool {
        failureClass == .rejected && self.reply.status != 413
    }

    /// Whether `delivery.retcode.token_expired` can hold `http_NNN` with this status: one of the client's side that would
    /// stop delivery.
    static func canMeanToken(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 407
            && BackendJudge(reply: HTTPReply(status: status), table: RetcodeTable()).statusMeaning(hasCode: false).0
                == .stop
    }

    /// Whether the status refuses what was sent, so that the codes of single cards count.
    var isRefusal: Bool { self.statusMeaning(hasCode: true).0 == .rejected }

    private func statusMeaning(_ answer: BackendAnswer?) -> (FailureClass, Message) {
        if answer?.meaning == .success, (400..<500).contains(self.reply.status) {
            return (.unknown, .backendContradiction)
        }
        return self.statusMeaning(hasCode: answer != nil)
    }

    private func statusMeaning(hasCode: Bool) -> (FailureClass, Message) {
        switch self.reply.status {
        // Post/redirect/get: the backend may have stored the document.
        case 302, 303: (.unknown, .backendRedirectStored)
        // The other redirects and stops say "wrong address" or "wrong credentials": every card would meet them.
        case 300..<400: (.stop, .backendRedirect)
        case 401, 403: (.stop, .backendAccess)
        case 404, 405, 410: (.stop, .backendURL)
        case 407: (.stop, .backendProxy)
        // Neither says what became of the first attempt.
        case 409: (.unknown, .backendInProgress)
        case 422: (.unknown, .backendKeyConflict)
        case 413: (.rejected, .backendTooLarge)
        case 429: (.throttled, .backendThrottled)
        case 503 where self.reply.retryAfter != nil: (.throttled, .backendBusy)
        // What was cut off may have been the word that the document is there already.
        case 400..<500 where self.reply.isComplete && ![408, 421, 425].contains(self.reply.status):
            (hasCode ? .rejected : .stop, .backendNotAboutCard)
        default: (.unknown, .backendUnknown)
        }
    }
}

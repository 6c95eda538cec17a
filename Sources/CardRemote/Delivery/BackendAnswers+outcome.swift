import CardModel

// The outcomes of one reply: of a delivery as a whole, and of its cards one by one.
extension BackendAnswers {
    private var status: Int { self.reply.status }

    // MARK: The whole

    /// Returns the outcome of a delivery that was answered as a whole, or not at all.
    ///
    /// - Parameter unreadable: the message about an answer that cannot be understood.
    func outcome(unreadable: @autoclosure () -> Message) -> DeliveryOutcome {
        let waits = self.reply.retryAfter != nil
        var meaning = BackendMeaning(status: self.status, content: self.content, asksToWait: waits)
        if meaning.isStop, meaning != .proxy, self.table.tokenExpired.contains("http_\(self.status)") {
            meaning = .token
        }
        switch (meaning, self.whole) {
        case (.accepted, let answer?), (.alreadyThere, let answer?):
            return .accepted(alreadyExisted: meaning == .alreadyThere, code: answer.code)
        case (.token, _):
            let code = self.content == .code(.tokenExpired) ? self.whole?.code : nil
            return .tokenExpired(self.refusedToken(code ?? "http_\(self.status)"))
        case (.later, let answer?): return .failed(self.later(answer))
        case (.refused, let answer?), (.unlisted, let answer?): return .failed(self.refusal(answer))
        case (_, _) where self.reply.isSuccess:
            var failure = self.failure(.unknown, "unreadable_reply", unreadable())
            failure.isUnreadable = meaning == .unreadable
            return .failed(failure)
        default: return .failed(self.failure(meaning))
        }
    }

    /// Returns a failure that the status decides.
    private func failure(_ meaning: BackendMeaning) -> RemoteFailure {
        let code =
            switch meaning {
            case .inProgress: "in_progress"
            case .keyConflict: "idempotency_key_conflict"
            case .tooLarge: self.whole?.code ?? "http_\(self.status)"
            default: "http_\(self.status)"
            }
        // The reason of a stopped stage is shown in clear, so it must not quote the backend's text.
        let consequence = meaning.consequence
        let said = self.whole.map { meaning.isStop ? .textVerbatim($0.code) : $0.quoted }
        let message: Message =
            said.map { .backendStatusAndCode(self.status, $0, consequence.message) }
            ?? .backendStatus(self.status, consequence.message)
        var failure = self.failure(consequence.failureClass ?? .unknown, code, message)
        failure.stopScope = meaning == .proxy ? .account : .request
        failure.mayBeApplied = consequence.mayBeApplied
        return failure
    }

    // MARK: Card by card

    /// The outcome of answers card by card; `nil` without valid ones: the answer for the whole then decides.
    var outcomeOfItems: DeliveryOutcome? {
        guard self.reply.isSuccess || (400..<500).contains(self.status) else { return nil }
        switch self.items {
        case .absent: return nil
        case .contradictory(let count):
            let isCertain = self.reply.isSuccess || self.hasStoredItem || self.isCertainUnderErrors(self.whole)
            return isCertain ? self.mismatch(count: count) : nil
        case .byMember(let items):
            if !self.reply.isSuccess {
                // An error status with accepted documents: it is unknown which of the two is wrong.
                if items.contains(where: { $0?.meaning == .success }) { return self.mismatch(count: items.count) }
                let meaning = BackendMeaning(status: self.status, content: .code(.unlisted))
                let isRefusal = meaning.consequence.failureClass == .rejected
                guard items.allSatisfy(self.isCertainUnderErrors) || isRefusal && self.reply.isComplete else {
                    return nil
                }
            }
            return self.outcome(of: items)
        }
    }

    private func outcome(of items: [BackendAnswer?]) -> DeliveryOutcome {
        let meanings = items.map { $0?.meaning }
        let areStored = meanings.map { $0?.isStored ?? false }
        if let whole = self.whole {
            // A refusal of the whole contradicts acceptances of all cards: it may mean "rolled back". Only "already exists" for
            // every card agrees with it.
            if !whole.meaning.isStored, areStored.allSatisfy({ $0 }), meanings.contains(.success) {
                return self.mismatch(count: items.count)
            }
            if whole.meaning == .tokenExpired {
                return areStored.contains(true)
                    ? self.mismatch(count: items.count) : .tokenExpired(self.refusedToken(whole.code))
            }
        }
        // Nothing was applied: the delivery gets a new TOKEN, instead of an answer for each card.
        if let first = items.first ?? nil, meanings.allSatisfy({ $0 == .tokenExpired }) {
            return .tokenExpired(self.refusedToken(first.code))
        }
        return .items(items.map(self.itemOutcome))
    }

    /// Whether a code means the same under an error status as under success.
    private func isCertainUnderErrors(_ answer: BackendAnswer?) -> Bool {
        guard let answer, answer.meaning != .unlisted, answer.meaning != .success else { return false }
        let certain: [BackendMeaning] = [.alreadyThere, .token, .later, .refused]
        return certain.contains(BackendMeaning(status: self.status, content: .code(answer.meaning)))
    }

    /// Returns the outcome of a delivery whose answers contradict each other or the form; `count` is their number.
    private func mismatch(count: Int) -> DeliveryOutcome {
        .failed(self.failure(.unknown, "items_mismatch", .backendMismatch(self.status, items: count)))
    }

    /// Returns the outcome of one card; `nil` is a card that the reply does not name.
    private func itemOutcome(of answer: BackendAnswer?) -> DeliveryItemOutcome {
        guard let answer else { return .unknown(self.failure(.unknown, "item_missing", .backendItemMissing)) }
        switch answer.meaning {
        case .success, .alreadyExists:
            return .accepted(alreadyExisted: answer.meaning == .alreadyExists, code: answer.code)
        case .tokenExpired: return .notApplied(self.refusedToken(answer.code))
        case .retryable: return .notApplied(self.later(answer))
        case .refusal, .unlisted: return .rejected(self.refusal(answer))
        }
    }

    /// The reason of a stopped stage is shown in clear, so it must not quote the backend's text.
    private func refusedToken(_ code: String) -> RemoteFailure { self.failure(.stop, code, .backendToken(code)) }

    /// Returns the failure of a definite "not now": nothing was applied, so the outcome is known.
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
        if !self.reply.isSuccess { message = .backendStatus(self.status, message) }
        let isUnlisted = answer.meaning == .unlisted && self.table.unlisted == .hold
        // An extra answer may belong to the previous card.
        if isUnlisted, self.reply.isOnReusedConnection { message = .backendReused(message) }
        var failure = self.failure(.rejected, answer.code, message)
        if isUnlisted { failure.unlistedCode = answer.spellings }
        return failure
    }

    private func failure(_ failureClass: FailureClass, _ code: String, _ message: Message) -> RemoteFailure {
        let (status, wait) = (self.status, self.reply.retryAfter)
        return RemoteFailure(failureClass, code: code, message: message, httpStatus: status, retryAfter: wait)
    }
}

import CardModel

// The outcomes of one reply: for a delivery as a whole, and for its single cards.
extension BackendAnswers {
    private var status: Int { self.reply.status }

    // MARK: The whole

    /// Returns the outcome of a delivery whose reply has no answers for single cards.
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

    /// Returns the failure of a meaning that follows from the status.
    private func failure(_ meaning: BackendMeaning) -> RemoteFailure {
        let code =
            switch meaning {
            case .inProgress: "in_progress"
            case .keyConflict: "idempotency_key_conflict"
            case .tooLarge: self.whole?.code ?? "http_\(self.status)"
            default: "http_\(self.status)"
            }
        // The reason for a stop is shown without masking, so it must not quote the backend's text.
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

    /// The outcome of the answers for single cards; `nil` if there are none to rely on, so that the answer for the whole decides.
    var outcomeOfItems: DeliveryOutcome? {
        guard self.reply.isSuccess || (400..<500).contains(self.status) else { return nil }
        switch self.items {
        case .absent: return nil
        case .contradictory(let count):
            let isCertain = self.reply.isSuccess || self.hasStoredItem || self.isCertainUnderErrors(self.whole)
            return isCertain ? self.mismatch(count: count) : nil
        case .byMember(let items):
            if !self.reply.isSuccess {
                // An error status contradicts an accepted document, and either may be wrong.
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

    /// Returns the outcome of one answer for each card, unless the answer for the whole contradicts them.
    private func outcome(of items: [BackendAnswer?]) -> DeliveryOutcome {
        let meanings = items.map { $0?.meaning }
        let areStored = meanings.map { $0?.isStored ?? false }
        if let whole = self.whole {
            // A refusal of the whole may mean "rolled back", so it contradicts the acceptance of all cards; unless each of them
            // already existed.
            if !whole.meaning.isStored, areStored.allSatisfy({ $0 }), meanings.contains(.success) {
                return self.mismatch(count: items.count)
            }
            if whole.meaning == .tokenExpired {
                return areStored.contains(true)
                    ? self.mismatch(count: items.count) : .tokenExpired(self.refusedToken(whole.code))
            }
        }
        // Nothing was applied, so the delivery as a whole gets a new TOKEN.
        if let first = items.first ?? nil, meanings.allSatisfy({ $0 == .tokenExpired }) {
            return .tokenExpired(self.refusedToken(first.code))
        }
        return .items(items.map(self.itemOutcome))
    }

    /// Whether the code of an answer means the same with the error status of this reply as with a success.
    private func isCertainUnderErrors(_ answer: BackendAnswer?) -> Bool {
        guard let answer, answer.meaning != .unlisted, answer.meaning != .success else { return false }
        let certain: [BackendMeaning] = [.alreadyThere, .token, .later, .refused]
        return certain.contains(BackendMeaning(status: self.status, content: .code(answer.meaning)))
    }

    /// Returns the outcome of a delivery whose answers contradict each other or the form.
    ///
    /// - Parameter count: the number of answers for single cards.
    private func mismatch(count: Int) -> DeliveryOutcome {
        .failed(self.failure(.unknown, "items_mismatch", .backendMismatch(self.status, items: count)))
    }

    /// Returns the outcome of one card, for which the reply has an answer or not.
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

    /// Returns the refusal of a TOKEN. The reason for a stop is shown without masking, so it does not quote the backend's text.
    private func refusedToken(_ code: String) -> RemoteFailure { self.failure(.stop, code, .backendToken(code)) }

    /// Returns the failure of an answer "not now", after which it is certain that nothing was applied.
    private func later(_ answer: BackendAnswer) -> RemoteFailure {
        self.failure(.transient, answer.code, .backendLater(answer.quoted))
    }

    /// Returns the refusal of a document; by an unlisted code, either a person decides or the card is rejected.
    private func refusal(_ answer: BackendAnswer) -> RemoteFailure {
        var message: Message =
            switch (answer.meaning, self.table.unlisted) {
            case (.unlisted, .hold): .backendUnlisted(answer.quoted)
            case (.unlisted, .reject): .backendUnlistedRefused(answer.quoted)
            default: .backendRefused(answer.quoted)
            }
        if !self.reply.isSuccess { message = .backendStatus(self.status, message) }
        let isUnlisted = answer.meaning == .unlisted && self.table.unlisted == .hold
        // On a reused connection, the answer may be a second one to the previous request.
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

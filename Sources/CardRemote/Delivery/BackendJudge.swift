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
        guard let answer else {
            return .unknown(
                self.failure(
                    .unknown,
                    "item_missing",
                    "the backend's reply does not name this card, so it may hold it; compare its records"
                )
            )
        }
        switch answer.meaning {
        case .success, .alreadyExists:
            return .accepted(alreadyExisted: answer.meaning == .alreadyExists, code: answer.code)
        case .tokenExpired:
            return .notApplied(self.refusedToken(answer.code))
        case .retryable:
            // A definite "not now": nothing was applied, so this is no unknown outcome.
            return .notApplied(
                self.failure(
                    .transient,
                    answer.code,
                    "the backend cannot take the document now (\(answer.quoted)); it is sent again"
                )
            )
        case .refusal, .unlisted:
            return .rejected(self.refusal(answer))
        }
    }

    /// The reason of a stopped stage is shown in clear: the backend's text has no place there.
    private func refusedToken(_ code: String) -> RemoteFailure {
        self.failure(
            .stop,
            code,
            """
            the backend refused the TOKEN (\(code)); give a new one where delivery.token, token_file or token_command \
            gets it
            """
        )
    }

    private func refusal(_ answer: BackendAnswer) -> RemoteFailure {
        let isUnlisted = answer.meaning == .unlisted && self.table.unlisted == .hold
        let remedy: Message = "\(self.remedy(for: answer))\(isUnlisted ? self.reuseRemedy : "")"
        var failure = self.failure(
            .rejected,
            answer.code,
            "the backend refused the document (\(answer.quoted)); \(remedy)"
        )
        failure.isUnlisted = isUnlisted
        return failure
    }

    /// What to do about a code that refuses a document, whatever the status.
    private func remedy(for answer: BackendAnswer) -> Message {
        switch (answer.meaning, self.table.unlisted) {
        case (.unlisted, .hold):
            "list the code under delivery.retcode, then: idcard-pipeline cards retry --reason retcode_unlisted"
        case (.unlisted, .reject): "correct the card's data, or list the code under delivery.retcode"
        default: "correct the card's data"
        }
    }

    /// For answers that may have been meant for the card before.
    private var reuseRemedy: Message {
        self.reply.isOnReusedConnection
            ? """
            ; if the backend answers some requests twice, this may be another card's answer: look there for the \
            document, and set delivery.reuse_connections to false
            """
            : ""
    }

    /// The failure of a delivery whose answers contradict each other or its form.
    ///
    /// - Parameter count: how many entries the reply has.
    func mismatch(count: Int) -> RemoteFailure {
        self.failure(
            .unknown,
            "items_mismatch",
            """
            the backend answered \(self.reply.status), and its answers for the single cards (\(count)) fit neither the \
            delivery nor each other, so which documents it took is unknown; compare its records
            """
        )
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
        let isAboutCard = failureClass == .rejected && status != 413
        let remedy = answer.flatMap { isAboutCard ? self.remedy(for: $0) : nil } ?? meaning
        if failureClass == .stop, status == 401 || self.table.tokenExpired.contains("http_\(status)") {
            return .tokenExpired(self.refusedToken("http_\(status)"))
        }
        let ownCode = [409: "in_progress", 422: "idempotency_key_conflict"][status] ?? "http_\(status)"
        // The reason of a stopped stage is shown in clear: the backend's text has no place there.
        let shown: Message = answer.map { " (\(failureClass == .stop ? "\($0.code)" : $0.quoted))" } ?? ""
        let isListed = answer?.meaning == .refusal
        let isUnlisted = isAboutCard && !isListed && self.table.unlisted == .hold
        let reuseRemedy = isUnlisted || failureClass == .stop ? self.reuseRemedy : ""
        var failure = self.failure(
            failureClass,
            failureClass == .rejected ? answer?.code ?? ownCode : ownCode,
            "the backend answered \(status)\(shown); \(remedy)\(reuseRemedy)"
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

    /// Whether `delivery.retcode.token_expired` can hold `http_NNN` with this status: one of the client's side that would
    /// stop delivery.
    static func canMeanToken(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 407
            && BackendJudge(reply: HTTPReply(status: status), table: RetcodeTable()).statusMeaning(hasCode: false).0
                == .stop
    }

    /// Whether the status refuses what was sent, so that the codes of single cards count.
    var isRefusal: Bool { self.statusMeaning(hasCode: true).0 == .rejected }

    private func statusMeaning(_ answer: BackendAnswer?) -> (FailureClass, remedy: Message) {
        if answer?.meaning == .success, (400..<500).contains(self.reply.status) {
            return (.unknown, "its code says success, so it may have taken the document; compare its records")
        }
        return self.statusMeaning(hasCode: answer != nil)
    }

    private func statusMeaning(hasCode: Bool) -> (FailureClass, remedy: Message) {
        switch self.reply.status {
        // Post/redirect/get: the backend may have stored the document.
        case 302, 303:
            (.unknown, "redirects are not followed; set delivery.url to where it points, and see whether it is there")
        // The other redirects and stops say "wrong address" or "wrong credentials": every card would meet them.
        case 300..<400: (.stop, "redirects are not followed; set delivery.url to where it points")
        case 401, 403:
            (
                .stop,
                """
                check delivery.token, the account's rights and a proxy on the way; if it means the TOKEN, list http_403 \
                under delivery.retcode.token_expired
                """
            )
        case 404, 405, 410: (.stop, "check delivery.url")
        case 407: (.stop, "a proxy on the way wants credentials; set them in delivery.proxy")
        // Neither says what became of the first attempt.
        case 409: (.unknown, "an attempt with the same key is under way; it is asked again")
        case 422: (.unknown, "the key is known there with other content; compare the backend's records")
        case 413: (.rejected, "the form is too large for the backend; lower imaging.byte_budget for new cards")
        case 429: (.throttled, "the pipeline slows down; lower delivery.concurrency")
        case 503 where self.reply.retryAfter != nil: (.throttled, "the pipeline slows down")
        // What was cut off may have been the word that the document is there already.
        case 400..<500 where self.reply.isComplete && ![408, 421, 425].contains(self.reply.status):
            hasCode
                ? (.rejected, "look into the backend's log")
                : (
                    .stop,
                    "its answer has no RETCODE, so it is not about the card; check delivery.url and what is before it"
                )
        default: (.unknown, "the outcome is unknown; the same request is sent again with the same key")
        }
    }
}

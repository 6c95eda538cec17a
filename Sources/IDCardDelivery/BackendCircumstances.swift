import IDCardCore
import OutboundHTTP

/// What a reply says beside its codes, and the outcomes that codes have under it.
struct BackendCircumstances: Hashable, Sendable {
    /// The status.
    let status: Int
    /// How long the backend asks to wait.
    let retryAfter: Duration?
    /// Whether the status alone is a definite no for the documents.
    let isRefusal: Bool

    /// Takes them from a reply.
    init(_ reply: HTTPReply) {
        self.status = reply.status
        self.retryAfter = reply.retryAfter
        self.isRefusal = !reply.isSuccess && BackendStatus.failure(of: reply, words: nil).failureClass == .rejected
    }

    /// The outcome of a delivery that was answered as a whole.
    func outcome(of answer: BackendAnswer) -> DeliveryOutcome {
        switch self.itemOutcome(of: answer) {
        case .accepted(let alreadyExisted, let code): .accepted(alreadyExisted: alreadyExisted, code: code)
        case .rejected(let failure): .failed(failure)
        case .notApplied(let failure): answer.meaning == .tokenExpired ? .tokenExpired(failure) : .failed(failure)
        }
    }

    /// The outcome of one card of a delivery.
    func itemOutcome(of answer: BackendAnswer) -> DeliveryItemOutcome {
        let words = answer.words
        switch answer.meaning {
        case .success:
            return .accepted(alreadyExisted: false, code: words.boundedCode)
        case .alreadyExists:
            return .accepted(alreadyExisted: true, code: words.boundedCode)
        case .tokenExpired:
            // The reason of a stopped stage is shown in clear: the backend's text has no place there.
            let remedy = "give a new one where delivery.token, token_file or token_command gets it"
            return .notApplied(
                self.failure(.stop, words, "the backend refused the TOKEN (\(words.boundedCode)): \(remedy)")
            )
        case .retryable:
            // A definite "not now": nothing was applied, so this is no unknown outcome.
            return .notApplied(
                self.failure(
                    .transient,
                    words,
                    "the backend cannot take the document now (\(words.quoted)); it is sent again"
                )
            )
        case .refusal:
            return .rejected(
                self.failure(.rejected, words, "the backend refused the document (\(words.quoted)): correct it")
            )
        case .unlisted:
            let remedy = "correct it, or list the code under delivery.retcode"
            var failure = self.failure(
                .rejected,
                words,
                "the backend refused the document (\(words.quoted)): \(remedy)"
            )
            failure.isUnlisted = true
            return .rejected(failure)
        }
    }

    /// The failure of a delivery whose answers contradict each other or its form.
    ///
    /// - Parameter count: how many entries the reply has.
    func mismatch(count: Int) -> RemoteFailure {
        RemoteFailure(
            .unknown,
            code: "items_mismatch",
            message: "the backend answered \(self.status), and its answers for the single cards (\(count)) fit neither "
                + "the delivery nor each other: which documents it took is unknown; compare its records",
            httpStatus: self.status,
            retryAfter: self.retryAfter
        )
    }

    private func failure(_ failureClass: FailureClass, _ words: BackendWords, _ message: String) -> RemoteFailure {
        RemoteFailure(
            failureClass,
            code: words.boundedCode,
            message: message,
            httpStatus: self.status,
            retryAfter: self.retryAfter
        )
    }
}

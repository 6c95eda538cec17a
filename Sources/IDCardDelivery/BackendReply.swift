import IDCardCore
import OutboundHTTP

/// Reads the backend's replies: a pure function of status, headers and body.
///
/// A delivery is not repeatable without its key, so the line between "refused" and "nobody knows" decides here: only an
/// answer that is certain is `rejected` or `stop`, every other one is `unknown`.
struct BackendReply: Sendable {
    /// What the RETCODEs mean.
    var table = RetcodeTable()
    /// The names of the reply's two fields.
    var names = ReplyNames()

    /// Judges a reply.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - mask: takes the values that no message may repeat out of the backend's words.
    func outcome(of reply: HTTPReply, mask: MessageMask) -> DeliveryOutcome {
        let words = self.words(in: reply, mask: mask)
        if reply.isSuccess {
            guard let words else { return .failed(self.unreadable(reply)) }
            return self.outcome(words, status: reply.status, retryAfter: reply.retryAfter)
        }
        if let words, let outcome = self.definiteOutcome(words, reply: reply) { return outcome }
        return .failed(BackendStatus.failure(of: reply, words: words))
    }

    /// What an answer with a RETCODE under a status of success means.
    private func outcome(_ words: BackendWords, status: Int, retryAfter: Duration?) -> DeliveryOutcome {
        func failure(_ failureClass: FailureClass, _ message: String) -> RemoteFailure {
            RemoteFailure(
                failureClass,
                code: words.boundedCode,
                message: message,
                httpStatus: status,
                retryAfter: retryAfter
            )
        }
        switch self.table.meaning(of: words.code) {
        case .success:
            return .accepted(alreadyExisted: false, code: words.boundedCode)
        case .alreadyExists:
            return .accepted(alreadyExisted: true, code: words.boundedCode)
        case .tokenExpired:
            return .tokenExpired(
                // The reason of a stopped stage is shown in clear: the backend's text has no place there.
                failure(.stop, "the backend refused the TOKEN (\(words.boundedCode)): give a new one in delivery.token")
            )
        case .retryable:
            // A definite "not now": nothing was applied, so this is no unknown outcome; the same bytes go again under
            // the same key.
            return .failed(
                failure(.transient, "the backend cannot take the document now (\(words.quoted)); it is sent again")
            )
        case .refusal:
            return .failed(
                failure(
                    .rejected,
                    "the backend refused the document (\(words.quoted)): "
                        + "correct it, or list the code under delivery.retcode"
                )
            )
        }
    }

    /// What a RETCODE under an error status of the client's side still says for certain; the status counts in all other
    /// cases.
    private func definiteOutcome(_ words: BackendWords, reply: HTTPReply) -> DeliveryOutcome? {
        guard (400..<500).contains(reply.status), reply.status != 422 else { return nil }
        switch self.table.meaning(of: words.code) {
        case .alreadyExists, .tokenExpired, .retryable:
            return self.outcome(words, status: reply.status, retryAfter: reply.retryAfter)
        // "Success" under an error status contradicts itself.
        case .success, .refusal:
            return nil
        }
    }

    private func words(in reply: HTTPReply, mask: MessageMask) -> BackendWords? {
        guard let members = JSONValue(parsing: reply.body)?.object, let code = members[self.names.code]?.text else {
            return nil
        }
        return BackendWords(code: code, text: members[self.names.message]?.text ?? "", mask: mask)
    }

    private func unreadable(_ reply: HTTPReply) -> RemoteFailure {
        RemoteFailure(
            .unknown,
            code: "unreadable_reply",
            message: "the backend answered \(reply.status) without a \(self.names.code) (\(reply.body.count) bytes, "
                + "\(reply.mediaType == "text/html" ? "HTML" : "not the expected JSON")): "
                + "whether it took the document is unknown; check delivery.url",
            httpStatus: reply.status
        )
    }
}

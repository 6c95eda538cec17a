import CardModel

/// Reads a reply of the verifier: its status, headers and body determine the outcome. An error string decides before the status,
/// even with status 200, because the vendor's pages document the strings alike but give them different statuses. Only JSON is
/// read: a 413 has plain text or HTML, and other HTML comes from proxies.
struct ReplyReading {
    /// The keys of the error string in the order of precedence; the vendor's pages and its public SDK use different ones.
    static let errorKeys = ["error_message", "error", "ERROR"]

    let outcome: VerificationOutcome

    /// Reads a reply.
    ///
    /// - Parameter isSecret: whether a text contains a credential, so that it must not appear in the outcome.
    init(_ reply: HTTPReply, dialect: VerificationDialect, isSecret: (String) -> Bool = { _ in false }) {
        var object: JSONValue?
        var unreadable: Message?
        do throws(Message) {
            object = JSONValue(parsing: try ReplyText.utf8(of: reply)).flatMap { $0.isObject ? $0 : nil }
        } catch {
            unreadable = error
        }
        if let object, let text = Self.errorText(in: object) {
            let error = VendorError(text)
            // Codes appear in messages, so a code that contains a credential is dropped.
            self.outcome = .failed((isSecret(error.code) ? VendorError("") : error).failure(of: reply))
            return
        }
        let answered = object.flatMap { Self.answered($0, in: dialect) }
        let meaning = VerifierMeaning(
            status: reply.status,
            content: Self.content(of: reply, isObject: object != nil, answered, dialect),
            asksToWait: reply.retryAfter != nil
        )
        if meaning == .read, let object {
            self.outcome = .read(dialect.reply.reading(object))
        } else {
            self.outcome = .failed(Self.failure(meaning, of: reply, answered: answered, dialect: dialect, unreadable))
        }
    }

    /// Returns the first error string; empty if there is an error that is not a text. `null`, `false`, 0 and empty values mean
    /// that there is no error.
    private static func errorText(in object: JSONValue) -> String? {
        for key in self.errorKeys where object.count(of: key) > 0 {
            switch object[key] {
            case .null, .boolean(false), .object([]), .array([]): continue
            case .number(let digits) where Double(digits) == 0: continue
            case .string(let text) where text.trimmed.isEmpty: continue
            case let value: return value?.text ?? ""
            }
        }
        return nil
    }

    /// Returns the dialect in which a service answered, by preference the configured one; `nil` if it is none of ours.
    private static func answered(_ object: JSONValue, in dialect: VerificationDialect) -> VerificationDialect? {
        if dialect.reply.recognises(object) { return dialect }
        let other = VerificationDialect.allCases.first { $0 != dialect && $0.reply.recognises(object) }
        return other ?? (dialect.reply.isNoCard(object) ? dialect : nil)
    }

    private static func content(
        of reply: HTTPReply,
        isObject: Bool,
        _ answered: VerificationDialect?,
        _ dialect: VerificationDialect
    ) -> VerifierMeaning.Content {
        if !reply.isComplete { return .cutOff }
        if let answered { return answered == dialect ? .reading : .otherDialect }
        return !isObject && reply.isPage(isDocument: false) ? .page : .nothingKnown
    }

    /// Returns the failure of an answer without an error string that is not a reading in the dialect.
    private static func failure(
        _ meaning: VerifierMeaning,
        of reply: HTTPReply,
        answered: VerificationDialect?,
        dialect: VerificationDialect,
        _ unreadable: Message?
    ) -> RemoteFailure {
        let (status, count) = (reply.status, reply.body.count)
        let notReading: Message =
            reply.isHTML(isXML: false)
            ? .verifierHTML(status, count, dialect) : .verifierNoReading(status, count, dialect)
        let consequence = meaning.consequence(of: reply)
        let (code, message): (String, Message) =
            switch meaning {
            case .otherDialect: ("wrong_dialect", .verifierDialect(answered ?? dialect, dialect))
            case .cutOff: ("truncated_reply", consequence.message)
            case _ where !reply.isSuccess: ("http_\(status)", consequence.message)
            default: ("unusable_reply", unreadable.map { .verifierUnreadable(status, count, $0) } ?? notReading)
            }
        var failure = RemoteFailure(
            consequence.failureClass ?? .transient,
            code: code,
            message: message,
            httpStatus: status,
            retryAfter: reply.retryAfter,
            stopScope: meaning.stopScope(status: status)
        )
        failure.isUnreadable = meaning.isUnreadable
        return failure
    }
}

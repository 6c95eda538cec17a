import CardModel

/// The outcome of one reply: a pure function of status, headers and body.
///
/// The error string is the contract, not the status, whose value differs among the vendor's own pages; so the string is looked
/// for first, even in a 200. A 413 is plain text or HTML, and HTML comes from proxies: only JSON bodies are read.
struct ReplyReading {
    /// The keys under which the error string is found, in order: `error_message` in Face++ and the newer of the older
    /// FaceID pages, `error` in the oldest and the newest, `ERROR` in the public SDK.
    static let errorKeys = ["error_message", "error", "ERROR"]

    let outcome: VerificationOutcome

    /// Judges a reply; no text of the outcome may contain a secret.
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
            // A code is passed on verbatim, so one that contains a credential is dropped.
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

    /// Returns the first error string.
    ///
    /// `null`, `false`, 0 and empty values mean that there is no error; another object or array is an unreadable error.
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

    /// Returns the dialect of an answer; `nil` if it is in none.
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

    private static func failure(
        _ meaning: VerifierMeaning,
        of reply: HTTPReply,
        answered: VerificationDialect?,
        dialect: VerificationDialect,
        _ unreadable: Message?
    ) -> RemoteFailure {
        let (status, count) = (reply.status, reply.body.count)
        let other: Message =
            reply.isHTML(isXML: false)
            ? .verifierHTML(status, count, dialect) : .verifierNoReading(status, count, dialect)
        let consequence = meaning.consequence(of: reply)
        let (code, message): (String, Message) =
            switch meaning {
            case .otherDialect: ("wrong_dialect", .verifierDialect(answered ?? dialect, dialect))
            case .cutOff: ("truncated_reply", consequence.message)
            case _ where !reply.isSuccess: ("http_\(status)", consequence.message)
            default: ("unusable_reply", unreadable.map { .verifierUnreadable(status, count, $0) } ?? other)
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

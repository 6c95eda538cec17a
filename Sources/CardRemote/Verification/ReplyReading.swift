import CardModel

/// What one reply means: a pure function of status, headers and body.
///
/// The error string is the contract, not the status, on whose value the vendor's own pages disagree; so it is looked
/// for first, in a 200 too. A 413 is plain text or HTML, whatever a proxy says is HTML: a body is read as JSON or not
/// at all.
struct ReplyReading {
    /// The keys under which the error string is found, in order: `error_message` in Face++ and the newer of the older
    /// FaceID pages, `error` in the oldest and the newest, `ERROR` in the public SDK.
    static let errorKeys = ["error_message", "error", "ERROR"]

    let outcome: VerificationOutcome

    /// Judges a reply, no text of which may repeat a secret.
    init(_ reply: HTTPReply, dialect: VerificationDialect, isSecret: (String) -> Bool = { _ in false }) {
        var object: JSONValue?
        var unreadable: Message?
        do throws(ReplyText.Unreadable) {
            object = JSONValue(parsing: try ReplyText.utf8(of: reply)).flatMap { $0.isObject ? $0 : nil }
        } catch {
            unreadable = error.why
        }
        if let object, let text = Self.errorText(in: object) {
            let error = VendorError(text)
            // A code is carried verbatim: one that quotes a credential must not be.
            self.outcome = .failed((isSecret(error.code) ? VendorError("") : error).failure(of: reply))
        } else if !reply.isSuccess || !reply.isComplete {
            self.outcome = .failed(VendorStatus(reply).failure)
        } else {
            self.outcome =
                object.flatMap { Self.outcome($0, of: reply, dialect: dialect) }
                ?? .failed(Self.unusable(reply, dialect: dialect, unreadable))
        }
    }

    /// The first error string.
    ///
    /// `null`, `false`, 0 and what is empty say that there is no error; an object or an array in its place is one that
    /// we cannot read.
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

    /// The reading, or that the endpoint speaks another dialect; `nil` if it is neither.
    private static func outcome(
        _ object: JSONValue,
        of reply: HTTPReply,
        dialect: VerificationDialect
    ) -> VerificationOutcome? {
        if dialect.reply.recognises(object) { return .read(dialect.reply.reading(object)) }
        if let other = VerificationDialect.allCases.first(where: { $0 != dialect && $0.reply.recognises(object) }) {
            return .failed(
                RemoteFailure(
                    .stop,
                    code: "wrong_dialect",
                    message: .verifierDialect(other, dialect),
                    httpStatus: reply.status,
                    stopScope: .request
                )
            )
        }
        return dialect.reply.isNoCard(object) ? .read(dialect.reply.reading(object)) : nil
    }

    private static func unusable(
        _ reply: HTTPReply,
        dialect: VerificationDialect,
        _ unreadable: Message?
    ) -> RemoteFailure {
        let (status, count) = (reply.status, reply.body.count)
        let message: Message =
            unreadable.map { .verifierUnreadable(status, count, $0) }
            ?? (reply.mediaType == "text/html"
                ? .verifierHTML(status, count, dialect) : .verifierNoReading(status, count, dialect))
        return RemoteFailure(.transient, code: "unusable_reply", message: message, httpStatus: status)
    }
}

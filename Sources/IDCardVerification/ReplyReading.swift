import Foundation
import IDCardCore
import OutboundHTTP

/// What one reply means: a pure function of status, headers and body.
///
/// The error string is the contract, not the status, on whose value the vendor's own pages disagree; so it is looked for
/// first, in a 200 too. A 413 is plain text or HTML, whatever a proxy says is HTML: a body is read as JSON or not at
/// all.
struct ReplyReading {
    /// The keys under which the error string is found, in order: `error_message` in Face++ and the newer of the older
    /// FaceID pages, `error` in the oldest and the newest, `ERROR` in the public SDK.
    static let errorKeys = ["error_message", "error", "ERROR"]

    /// What became of the call.
    let outcome: VerificationOutcome

    /// Judges a reply.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - dialect: the dialect that was spoken to it.
    ///   - isSecret: whether a text repeats what nobody may see.
    init(_ reply: HTTPReply, dialect: VerificationDialect, isSecret: (String) -> Bool = { _ in false }) {
        let members = JSONValue(parsing: reply.body)?.object
        if let members, let text = Self.errorText(in: members) {
            let error = VendorError(text)
            // A code is carried verbatim: one that quotes a credential must not be.
            self.outcome = .failed(
                (isSecret(error.code) ? VendorError("") : error).failure(of: reply)
            )
        } else if !reply.isSuccess || !reply.isComplete {
            self.outcome = .failed(VendorStatus.failure(of: reply))
        } else if let members {
            self.outcome =
                Self.reading(members, of: reply, dialect: dialect) ?? .failed(Self.unusable(reply, dialect: dialect))
        } else {
            self.outcome = .failed(Self.unusable(reply, dialect: dialect))
        }
    }

    /// The first error string.
    ///
    /// `null`, `false`, 0 and what is empty say that there is no error; an object or an array in its place is one that
    /// we cannot read.
    private static func errorText(in members: [String: JSONValue]) -> String? {
        for key in self.errorKeys {
            switch members[key] {
            case nil, .null, .boolean(false), .integer(0), .object([:]), .array([]): continue
            case .some(let value):
                if case .string = value, value.text == nil { continue }
                return value.text ?? ""
            }
        }
        return nil
    }

    /// The reading, or that the endpoint speaks another dialect; `nil` if it is neither.
    private static func reading(
        _ members: [String: JSONValue],
        of reply: HTTPReply,
        dialect: VerificationDialect
    ) -> VerificationOutcome? {
        if dialect.reply.recognises(members) { return .read(dialect.reply.reading(members)) }
        if let other = VerificationDialect.allCases.first(where: { $0 != dialect && $0.reply.recognises(members) }) {
            return .failed(
                RemoteFailure(
                    .stop,
                    code: ReplyCode.wrongDialect.rawValue,
                    message: "the verifier answers in the dialect \(other.rawValue), not in \(dialect.rawValue): "
                        + "check verification.url and verification.dialect",
                    httpStatus: reply.status
                )
            )
        }
        return dialect.reply.isNoCard(members) ? .read(dialect.reply.reading(members)) : nil
    }

    private static func unusable(_ reply: HTTPReply, dialect: VerificationDialect) -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: ReplyCode.unusableReply.rawValue,
            message: "the verifier answered \(reply.status) with something that is no reading "
                + "(\(reply.body.count) bytes, "
                + "\(reply.mediaType == "text/html" ? "HTML" : "not \(dialect.rawValue) JSON")): "
                + "if it persists, check verification.url",
            httpStatus: reply.status
        )
    }
}

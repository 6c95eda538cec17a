import Foundation
import IDCardCore
import OutboundHTTP

/// Reads the replies of FaceID v1: a pure function of status, headers and body.
///
/// The error string is the contract, not the status, on whose value the vendor's own pages disagree; so it is looked
/// for first, in a 200 too. A 413 is plain text or HTML. Everything but the side may be missing.
enum FaceIDv1Reply {
    /// The keys under which the error string is found, in order.
    static let errorKeys = ["error_message", "error", "ERROR"]
    /// The keys of which a reading has at least one.
    private static let readingKeys: Set<String> = ["side", "request_id", "time_used", "id_card_number", "issued_by"]

    /// Judges a reply.
    static func outcome(of reply: HTTPReply) -> VerificationOutcome {
        let members = JSONValue(parsing: reply.body)?.object
        if let text = Self.errorKeys.lazy.compactMap({ members?[$0]?.text }).first {
            return .failed(VendorError(text).failure(status: reply.status, retryAfter: reply.retryAfter))
        }
        guard reply.isSuccess else { return .failed(VendorStatus.failure(of: reply)) }
        guard let members else { return .failed(self.unusable(reply)) }
        let side = members["side"]?.text.flatMap(CardSide.init(rawValue:))
        if side == nil, members["cards"] != nil || members["result"] != nil { return .failed(self.otherDialect(reply)) }
        guard !Self.readingKeys.isDisjoint(with: members.keys) else { return .failed(self.unusable(reply)) }
        return .read(self.reading(members, side: side))
    }

    private static func reading(_ members: [String: JSONValue], side: CardSide?) -> CardReading {
        let fields = CardFields(
            name: members["name"]?.text,
            gender: members["gender"]?.text,
            ethnicity: members["race"]?.text,
            birthDate: members["birthday"].flatMap(BirthDateText.init)?.text,
            address: members["address"]?.text,
            number: members["id_card_number"]?.text,
            issuer: members["issued_by"]?.text,
            validity: members["valid_date"]?.text
        )
        return CardReading(
            side: side,
            fields: fields,
            legality: members["legality"]?.object.flatMap(self.legality),
            requestID: members["request_id"]?.text
        )
    }

    /// Reads the scores; a vendor's own threshold is known from v3 and taken if it is there.
    private static func legality(_ members: [String: JSONValue]) -> Legality? {
        var scores: [String: Double] = [:]
        var threshold: Double?
        for (key, value) in members {
            guard let score = value.double else { continue }
            if Legality.normalise(key) == "ID Photo Threshold" {
                threshold = score
            } else {
                scores[key] = score
            }
        }
        return Legality(vendorScores: scores, vendorThreshold: threshold)
    }

    private static func unusable(_ reply: HTTPReply) -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: "unusable_reply",
            message: "the verifier answered \(reply.status) with something that is no reading "
                + "(\(reply.body.count) bytes, \(reply.mediaType == "text/html" ? "HTML" : "not FaceID v1 JSON")): "
                + "if it persists, check verification.url",
            httpStatus: reply.status
        )
    }

    private static func otherDialect(_ reply: HTTPReply) -> RemoteFailure {
        RemoteFailure(
            .stop,
            code: "wrong_dialect",
            message:
                "the verifier answers in another dialect than faceid-v1: "
                + "check verification.url and verification.dialect",
            httpStatus: reply.status
        )
    }
}

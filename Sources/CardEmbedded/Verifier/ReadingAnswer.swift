import FoundationEssentials

/// The body of a 200: the reading, in the structure and names that the vendor documents for each dialect.
///
/// | dialect | a field that was not read | no card seen |
/// |---|---|---|
/// | FaceID v1 | is missing | no `side` |
/// | Face++ v1 | is an empty text | `cards` is empty; the reader looks for one card, so at most one |
/// | FaceID v3 | is an empty text of quality 0 | `result` is 1002, no `side`; what the vendor answers is not known |
///
/// In FaceID v3 `result` is 1001 when every field of the side was read, none contradicts another, and the card looks
/// genuine; else 1002. The reader measures no quality, so every field that was read has 1. Positions in the picture,
/// the portrait, and `completeness`, whose meaning is unknown, are left out there. The vendor's spelling of 长期 is
/// unknown, too: it is returned as printed.
struct ReadingAnswer {
    /// The minimum score of a genuine card in FaceID v3; its replies include this threshold.
    private static let genuineThreshold = 0.8

    /// The reading; `nil` if no card was seen.
    let text: CardText?
    /// Whether the client asked for the classes; FaceID v3 always gives them.
    let withLegality: Bool

    func json(in dialect: EmbeddedVerifier.Dialect, mark: RequestMark) -> JSON {
        var members: [String: JSON?]
        switch dialect {
        case .faceIDv1: members = self.text.map(self.faceIDv1) ?? [:]
        case .faceppv1: members = ["cards": .array(self.text.map { [.object(present: self.faceppv1($0))] } ?? [])]
        case .faceIDv3: members = self.text.map(Self.faceIDv3) ?? ["result": 1002]
        }
        members.merge(mark.members) { $1 }
        return .object(present: members)
    }

    private func faceIDv1(_ text: CardText) -> [String: JSON?] {
        var members = text.side.named.mapValues { $0.map(JSON.text) }
        if case .front(let front) = text.side {
            members["birthday"] = front.birth.map {
                ["year": "\($0.year)", "month": "\($0.month)", "day": "\($0.day)"]
            }
        }
        // The trailing blank is in the vendor's sample of this dialect; clients trim it.
        if self.withLegality { members["legality"] = text.legality.named(temporary: "Temporary ID Photo ") }
        return members
    }

    private func faceppv1(_ text: CardText) -> [String: JSON?] {
        var members: [String: JSON?] = text.side.named.mapValues { .text($0 ?? "") }
        members["type"] = 1
        if case .front(let front) = text.side { members["birthday"] = .text(front.birth?.hyphenated ?? "") }
        if self.withLegality { members["legality"] = text.legality.named(temporary: "Temporary ID Photo") }
        return members
    }

    private static func faceIDv3(_ text: CardText) -> [String: JSON?] {
        var members: [String: JSON?]
        var isSound = true
        switch text.side {
        case .front(let front):
            let logic = FieldLogic(front)
            isSound = logic.isSound
            members = Self.fields(front, logic)
            members["side"] = 0
        case .back(let back):
            let halves = back.validity?.split(separator: "-").map { String($0.replacing(".", with: "")) }
            members = [
                "side": 1, "issued_by": Self.field(back.issuer), "valid_date_start": Self.field(halves?.first),
                "valid_date_end": Self.field(halves?.dropFirst().first),
            ]
        }
        let shares = text.legality.shares
        let isGenuine = shares[0] >= Self.genuineThreshold
        members["result"] = text.side.isComplete && isSound && isGenuine ? 1001 : 1002
        members["legality"] = [
            "ID_Photo": .number(shares[0]), "Temporary_ID_Photo": .number(shares[1]), "Photocopy": .number(shares[2]),
            "Screen": .number(shares[3]), "Edited": .number(shares[4]),
            "ID_Photo_Threshold": .number(Self.genuineThreshold),
        ]
        return members
    }

    private static func fields(_ front: CardText.Front, _ logic: FieldLogic) -> [String: JSON?] {
        [
            "name": self.field(front.name),
            "gender": self.field(front.gender, contradicts: logic.gender),
            // This key holds the ethnicity, despite its name.
            "nationality": self.field(front.ethnicity),
            "birth_year": self.field(front.birth.map { "\($0.year)" }, contradicts: logic.birth),
            "birth_month": self.field(front.birth.map { "\($0.month)" }, contradicts: logic.birth),
            "birth_day": self.field(front.birth.map { "\($0.day)" }, contradicts: logic.birth),
            "address": self.field(front.address),
            "idcard_number": self.field(front.number, contradicts: logic.number),
        ]
    }

    private static func field(_ text: String?, contradicts: Bool = false) -> JSON {
        ["result": .text(text ?? ""), "quality": text == nil ? 0 : 1, "logic": contradicts ? 1 : 0]
    }
}

extension CardText.Side {
    /// The fields under the names that FaceID v1 and Face++ v1 share.
    fileprivate var named: [String: String?] {
        switch self {
        case .front(let front):
            [
                "side": "front", "name": front.name, "gender": front.gender, "race": front.ethnicity,
                "address": front.address, "id_card_number": front.number,
            ]
        case .back(let back): ["side": "back", "issued_by": back.issuer, "valid_date": back.validity]
        }
    }
}

extension Legality {
    /// The classes in the vendor's order, rounded to thousandths; the largest absorbs the rounding error, so that the
    /// sum stays 1.
    var shares: [Double] {
        let exact = [self.idPhoto, 0, self.photocopy, self.screen, 0]
        var thousandths = exact.map { Int(($0 * 1000).rounded()) }
        let largest = exact.indices.max { exact[$0] < exact[$1] } ?? 0
        thousandths[largest] += 1000 - thousandths.reduce(0, +)
        return thousandths.map { Double($0) / 1000 }
    }

    fileprivate func named(temporary: String) -> JSON {
        let names = ["ID Photo", temporary, "Photocopy", "Screen", "Edited"]
        return .object(Dictionary(uniqueKeysWithValues: zip(names, self.shares.map(JSON.number))))
    }
}

/// The id and the duration of a request, for its reply.
struct RequestMark: Sendable {
    /// `<seconds since 1970>,<uuid>`.
    let id: String
    private let start = ContinuousClock.now

    init(now: Date) { self.id = "\(Int(now.timeIntervalSince1970)),\(UUID().uuidString.lowercased())" }

    /// Milliseconds since the request arrived.
    var milliseconds: Int { Int(self.start.duration(to: .now) / .milliseconds(1)) }

    /// The members that every reply has.
    var members: [String: JSON?] { ["request_id": .text(self.id), "time_used": .integer(self.milliseconds)] }
}

/// The body of a 200 in the dialect FaceID v3: a dictionary for each field, the result and the side in numbers.
///
/// | `result` | when |
/// |---|---|
/// | 1001 | every field of the side was read, none contradicts another, and the card looks genuine |
/// | 1002 | a card, and one of these does not hold |
/// | 1002, and no `side` | no card was seen; what the vendor answers then is not known |
///
/// A field that was not read has an empty text and the quality 0; the reader measures no quality, so that every other
/// has 1. Places in the picture (`card_rect`, `rect`) and `completeness`, whose meaning is not known, are left out. So
/// is the portrait. How the vendor spells 长期 is not known either: it is given as it is printed.
struct FaceIDv3Answer: Encodable, Sendable {
    /// A field.
    struct Field: Encodable, Sendable {
        let result: String
        let quality: Double
        /// 1 if it contradicts another.
        let logic: Int

        init(_ text: String?, contradicts: Bool = false) {
            self.result = text ?? ""
            self.quality = text == nil ? 0 : 1
            self.logic = contradicts ? 1 : 0
        }
    }

    /// The names of the classes.
    static let classes = ["ID_Photo", "Temporary_ID_Photo", "Photocopy", "Screen", "Edited"]
    /// The score from which a card counts as genuine, which replies carry.
    static let threshold = 0.8

    let requestID: String
    let milliseconds: Int
    var result = 1002
    var side: Int?
    var fields: [String: Field] = [:]
    var legality: [String: Double]?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { self.stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.requestID, forKey: Key("request_id"))
        try container.encode(self.milliseconds, forKey: Key("time_used"))
        try container.encode(self.result, forKey: Key("result"))
        try container.encodeIfPresent(self.side, forKey: Key("side"))
        for (name, field) in self.fields { try container.encode(field, forKey: Key(name)) }
        try container.encodeIfPresent(self.legality, forKey: Key("legality"))
    }
}

extension FaceIDv3Answer {
    /// Makes an answer of what was read.
    ///
    /// - Parameter text: What was read; `nil` if no card was seen.
    init(_ text: CardText?, mark: RequestMark) {
        self.requestID = mark.id
        self.milliseconds = mark.milliseconds
        guard let text else { return }
        var isSound = true
        switch text.side {
        case .front(let front):
            let logic = FieldLogic(front)
            isSound = logic.isSound
            self.side = 0
            self.fields = Self.fields(front, logic: logic)
        case .back(let back):
            self.side = 1
            self.fields = Self.fields(back)
        }
        let shares = LegalityShares(text.legality)
        let isGenuine = shares.values[0] >= Self.threshold
        self.result = text.side.isComplete && isSound && isGenuine ? 1001 : 1002
        var legality = shares.named(Self.classes)
        legality["ID_Photo_Threshold"] = Self.threshold
        self.legality = legality
    }

    private static func fields(_ front: CardText.Front, logic: FieldLogic) -> [String: Field] {
        [
            "name": Field(front.name),
            "gender": Field(front.gender, contradicts: logic.gender),
            // The ethnicity, in spite of its name.
            "nationality": Field(front.ethnicity),
            "birth_year": Field(front.birth.map { String($0.year) }, contradicts: logic.birth),
            "birth_month": Field(front.birth.map { String($0.month) }, contradicts: logic.birth),
            "birth_day": Field(front.birth.map { String($0.day) }, contradicts: logic.birth),
            "address": Field(front.address),
            "idcard_number": Field(front.number, contradicts: logic.number),
        ]
    }

    private static func fields(_ back: CardText.Back) -> [String: Field] {
        let halves = back.validity?.split(separator: "-").map { String($0.replacing(".", with: "")) }
        return [
            "issued_by": Field(back.issuer),
            "valid_date_start": Field(halves?.first),
            "valid_date_end": Field(halves?.dropFirst().first),
        ]
    }
}

/// Says which fields of a front contradict the number, for `logic` in FaceID v3.
///
/// The number's check character, its positions 7 to 14 and the parity of its position 17 are compared with what is
/// printed (GB 11643-1999). What was not read contradicts nothing.
struct FieldLogic: Equatable {
    /// Whether the number's own check character is wrong.
    let number: Bool
    /// Whether the printed birth date is another.
    let birth: Bool
    /// Whether the printed gender is the other.
    let gender: Bool

    /// Whether nothing contradicts.
    var isSound: Bool { !self.number && !self.birth && !self.gender }

    init(_ front: CardText.Front) {
        guard let number = front.number, number.count == 18 else {
            self.number = front.number != nil
            self.birth = false
            self.gender = false
            return
        }
        self.number = !NumberBallot.hasValidCheck(number)
        self.birth =
            front.birth.map { "\($0.year)\($0.paddedMonth)\($0.paddedDay)" != number.dropFirst(6).prefix(8) } ?? false
        let order = number.dropFirst(16).first?.wholeNumberValue ?? 0
        self.gender = front.gender.map { $0 != (order.isMultiple(of: 2) ? "女" : "男") } ?? false
    }
}

import CardModel
import Testing

extension Card {
    /// A card of the number B-1, of which only the given is known.
    static func sample(_ state: CardState, _ reason: ReasonCode?, side: CardSide?, failures: Int = 0) -> Card {
        var card = Card(
            id: CardID(rawValue: "c-1"),
            state: state,
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: "B-1")),
            submitter: "local",
            order: 1,
            waitsUntil: .past,
            createdAt: Timestamp(millisecondsSinceEpoch: 0),
            changedAt: Timestamp(millisecondsSinceEpoch: 1)
        )
        (card.reason, card.side, card.failures) = (reason, side, failures)
        return card
    }
}

/// The fields of a front as texts.
struct FrontText {
    var name: String? = "样本甲"
    var gender: String? = "男"
    var ethnicity: String? = "汉"
    var birthDate: String? = "1990-03-07"
    var number: String? = "110101199003070011"
    var address: String? = "样本路1号"

    var fields: CardFields {
        CardFields(
            name: self.name,
            gender: self.gender,
            ethnicity: self.ethnicity,
            birthDate: self.birthDate,
            address: self.address,
            number: self.number
        )
    }
}

extension CardReading {
    /// The front of an invented person with nothing to find fault with: a man, born 1990-03-07; or with other fields.
    static func front(change: (inout FrontText) -> Void = { _ in }) -> CardReading {
        var text = FrontText()
        change(&text)
        return CardReading(side: .front, fields: text.fields, legality: .good, requestID: "request-front")
    }

    /// The back that goes with it, issued at the age of 29, with nothing to find fault with.
    static func back(_ validity: String? = "2020.01.01-2040.01.01", issuer: String? = "样本市公安局") -> CardReading {
        CardReading(
            side: .back,
            fields: CardFields(issuer: issuer, validity: validity),
            legality: .good,
            requestID: "request-back"
        )
    }
}

extension Legality {
    static let good = Legality(vendorScores: ["ID Photo": 0.9, "Photocopy": 0.1])
}

extension CardMetadata {
    /// What a sender says of the holder.
    static func holder(_ number: String? = nil, name: String? = nil, side: CardSide? = nil) -> CardMetadata {
        CardMetadata(
            businessNumber: BusinessNumber(stored: "LOAN-1"),
            expectedIDNumber: number.map(Redacted.init),
            expectedName: name.map(Redacted.init),
            side: side
        )
    }
}

extension CalendarDay {
    /// The day on which the tests judge.
    static let today = day(2026, 11, 21)

    static func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDay {
        guard let day = CalendarDay(year: year, month: month, day: day) else {
            preconditionFailure("a test must name a day of the calendar, not \(year)-\(month)-\(day)")
        }
        return day
    }
}

extension VerdictRules {
    /// The codes of everything found, the deciding one first.
    func codes(_ reading: CardReading, expecting expectation: CardMetadata? = nil) -> [String] {
        self.judge(reading, expecting: expectation, today: .today).codes
    }
}

extension Judgement {
    /// The codes of everything found, the deciding one first.
    var codes: [String] {
        (self.decision.map { [$0.reason.rawValue] } ?? []) + self.warnings.map(\.reason.rawValue)
    }

    /// The finding that refuses or holds the card.
    var decision: VerdictFinding? {
        switch self.verdict {
        case .accepted: nil
        case .rejected(let reason, let message): VerdictFinding(reason, .reject, message: message)
        case .held(let reason, let message): VerdictFinding(reason, .hold, message: message)
        }
    }
}

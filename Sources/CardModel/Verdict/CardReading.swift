/// A verification service's reading of one photo, normalised over the dialects; only the side is required.
package struct CardReading: Hashable, Sendable, Codable {
    /// The side shown; `nil` if the service saw no card.
    package var side: CardSide?
    package var fields: CardFields
    /// The genuineness scores; `nil` if the service gave none.
    package var legality: Legality?
    /// The service's id of this call, for its support.
    package var requestID: String?
    /// Whether the service itself calls something on the card abnormal (FaceID v3, `result` 1002).
    package var isAbnormal: Bool
    /// Further cards that the service saw in the same photo.
    package var others: [CardReading]

    private enum CodingKeys: String, CodingKey {
        case side = "side"
        case fields = "fields"
        case legality = "legality"
        case requestID = "requestID"
        case isAbnormal = "isAbnormal"
        case others = "others"
    }

    package init(
        side: CardSide?,
        fields: CardFields = CardFields(),
        legality: Legality? = nil,
        requestID: String? = nil,
        isAbnormal: Bool = false,
        others: [CardReading] = []
    ) {
        (self.side, self.fields, self.legality, self.requestID) = (side, fields, legality, requestID)
        (self.isAbnormal, self.others) = (isAbnormal, others)
    }
}

extension CardReading {
    /// Returns the reading with the card that shows a side before the others, if exactly one card of the photo shows
    /// that side; else the reading unchanged.
    package func selecting(_ side: CardSide?) -> CardReading {
        guard !self.others.isEmpty, let index = self.soleIndex(of: side) else { return self }
        var others = self.cards
        var chosen = others.remove(at: index)
        chosen.requestID = chosen.requestID ?? self.requestID
        chosen.others = others
        return chosen
    }

    /// Whether it is clear which card was submitted: it is the only card of the photo, or the only one that shows the
    /// expected side.
    func isUnambiguous(for side: CardSide?) -> Bool { self.others.isEmpty || self.soleIndex(of: side) != nil }

    /// The readings of all cards of the photo, this one first, each without `others`.
    private var cards: [CardReading] {
        ([self] + self.others).map { card in
            var card = card
            card.others = []
            return card
        }
    }

    private func soleIndex(of side: CardSide?) -> Int? {
        guard let side else { return nil }
        let shown = self.cards.indices.filter { self.cards[$0].side == side }
        return shown.count == 1 ? shown[0] : nil
    }
}

/// The fields printed on a card, as the verification service read them; none prints itself.
package struct CardFields: Hashable, Sendable, Codable {
    /// 姓名
    package var name: Redacted<String>?
    /// 性别, as read: 男 or 女.
    package var gender: Redacted<String>?
    /// 民族, without 族.
    package var ethnicity: Redacted<String>?
    /// 出生, as `YYYY-MM-DD`; as read if it is not a date.
    package var birthDate: Redacted<String>?
    /// 住址
    package var address: Redacted<String>?
    /// 公民身份号码, as read.
    package var number: Redacted<String>?
    /// 签发机关
    package var issuer: Redacted<String>?
    /// 有效期限, as read.
    package var validity: Redacted<String>?

    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case gender = "gender"
        case ethnicity = "ethnicity"
        case birthDate = "birthDate"
        case address = "address"
        case number = "number"
        case issuer = "issuer"
        case validity = "validity"
    }

    /// All values that were read.
    package var all: [Redacted<String>] {
        [self.name, self.gender, self.ethnicity, self.birthDate, self.address, self.number, self.issuer, self.validity]
            .compactMap { $0 }
    }

    package init(
        name: String? = nil,
        gender: String? = nil,
        ethnicity: String? = nil,
        birthDate: String? = nil,
        address: String? = nil,
        number: String? = nil,
        issuer: String? = nil,
        validity: String? = nil
    ) {
        self.name = name.map(Redacted.init)
        self.gender = gender.map(Redacted.init)
        self.ethnicity = ethnicity.map(Redacted.init)
        self.birthDate = birthDate.map(Redacted.init)
        self.address = address.map(Redacted.init)
        self.number = number.map(Redacted.init)
        self.issuer = issuer.map(Redacted.init)
        self.validity = validity.map(Redacted.init)
    }
}

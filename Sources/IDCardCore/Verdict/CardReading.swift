/// What a verification service read from one photo, normalised over the dialects; only the side is needed.
package struct CardReading: Hashable, Sendable, Codable {
    /// The side shown; `nil` if the service saw no card.
    package var side: CardSide?
    /// The fields, as read.
    package var fields: CardFields
    /// The genuineness scores; `nil` if the service gave none.
    package var legality: Legality?
    /// The service's own name for this call, for its support.
    package var requestID: String?
    /// Whether the service itself calls something on the card abnormal (FaceID v3, `result` 1002).
    package var isAbnormal: Bool
    /// Further cards that the service saw in the same photo.
    package var others: [CardReading]

    /// Takes what was read.
    package init(
        side: CardSide?,
        fields: CardFields = CardFields(),
        legality: Legality? = nil,
        requestID: String? = nil,
        isAbnormal: Bool = false,
        others: [CardReading] = []
    ) {
        self.side = side
        self.fields = fields
        self.legality = legality
        self.requestID = requestID
        self.isAbnormal = isAbnormal
        self.others = others
    }
}

extension CardReading {
    private enum CodingKeys: String, CodingKey {
        case side, fields, legality, requestID, isAbnormal, others
    }

    /// Reads a stored reading; what later versions added may be missing.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            side: try values.decodeIfPresent(CardSide.self, forKey: .side),
            fields: try values.decode(CardFields.self, forKey: .fields),
            legality: try values.decodeIfPresent(Legality.self, forKey: .legality),
            requestID: try values.decodeIfPresent(String.self, forKey: .requestID),
            isAbnormal: try values.decodeIfPresent(Bool.self, forKey: .isAbnormal) ?? false,
            others: try values.decodeIfPresent([CardReading].self, forKey: .others) ?? []
        )
    }
}

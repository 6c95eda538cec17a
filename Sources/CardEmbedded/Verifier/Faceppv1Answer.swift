/// The body of a 200 in the dialect Face++ cardpp v1: shapes and names as the vendor documents them.
///
/// The reader looks for one card, so `cards` has one at most. A field that was not read is an empty string.
struct Faceppv1Answer: Encodable, Sendable {
    /// A card; the fields of the other side are missing.
    struct Card: Encodable, Sendable {
        /// An identity card.
        let type = 1
        let side: String
        var name: String?
        var gender: String?
        var race: String?
        /// 出生 as `YYYY-MM-DD`.
        var birthday: String?
        var address: String?
        var number: String?
        var issuer: String?
        var validity: String?
        var legality: [String: Double]?

        enum CodingKeys: String, CodingKey {
            case type, side, name, gender, race, birthday, address
            case number = "id_card_number"
            case issuer = "issued_by"
            case validity = "valid_date"
            case legality
        }
    }

    /// The names of the classes.
    static let classes = ["ID Photo", "Temporary ID Photo", "Photocopy", "Screen", "Edited"]

    let requestID: String
    let milliseconds: Int
    let cards: [Card]

    enum CodingKeys: String, CodingKey {
        case requestID = "request_id"
        case milliseconds = "time_used"
        case cards
    }

    /// Makes an answer of what was read.
    ///
    /// - Parameters:
    ///   - text: What was read; `nil` if no card was seen.
    ///   - withLegality: Whether the client asked for the classes.
    init(_ text: CardText?, mark: RequestMark, withLegality: Bool) {
        self.requestID = mark.id
        self.milliseconds = mark.milliseconds
        self.cards = text.map { [Card($0, withLegality: withLegality)] } ?? []
    }
}

extension Faceppv1Answer.Card {
    init(_ text: CardText, withLegality: Bool) {
        switch text.side {
        case .front(let front):
            self.side = "front"
            self.name = front.name ?? ""
            self.gender = front.gender ?? ""
            self.race = front.ethnicity ?? ""
            self.birthday = front.birth.map { "\($0.year)-\($0.paddedMonth)-\($0.paddedDay)" } ?? ""
            self.address = front.address ?? ""
            self.number = front.number ?? ""
        case .back(let back):
            self.side = "back"
            self.issuer = back.issuer ?? ""
            self.validity = back.validity ?? ""
        }
        if withLegality { self.legality = LegalityShares(text.legality).named(Faceppv1Answer.classes) }
    }
}

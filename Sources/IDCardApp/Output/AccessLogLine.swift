import IDCardCore
import IDCardPipeline

/// One line of the access log as `cards log` shows it.
struct AccessLogLine: Encodable {
    let number: Int64
    let at: String
    let actor: String
    let action: AccessAction
    let purpose: String
    let cardID: CardID?

    enum CodingKeys: String, CodingKey {
        case number
        case at
        case actor
        case action
        case purpose
        case cardID = "card_id"
    }

    init(_ line: AccessLine) {
        self.number = line.number
        self.at = line.at.description
        self.actor = line.origin.actor
        self.action = line.action
        self.purpose = line.origin.purpose
        self.cardID = line.card
    }

    /// For people.
    var text: String {
        let card = self.cardID.map { "  \($0)" } ?? ""
        return
            "\(self.number)  \(self.at)  \(self.action.rawValue.padding(to: 7))\(card)  \(self.actor)  (\(self.purpose))"
    }
}

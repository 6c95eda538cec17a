import IDCardCore
import IDCardPipeline

/// Everything that is known of one card, for `cards export`.
struct CardExport: Encodable {
    let card: CardReport
    let userNumber: String?
    let expectedIDNumber: String?
    let expectedName: String?

    enum CodingKeys: String, CodingKey {
        case card
        case userNumber = "user_no"
        case expectedIDNumber = "expected_id_number"
        case expectedName = "expected_name"
    }

    init(_ details: CardDetails) {
        let metadata = details.card.metadata
        self.card = CardReport(details, reveal: true)
        self.userNumber = metadata.userNumber?.reveal()
        self.expectedIDNumber = metadata.expectedIDNumber?.reveal()
        self.expectedName = metadata.expectedName?.reveal()
    }
}

// The titles and texts of tables. Each message is on one line.
// swift-format-ignore
extension Message {
    package static let tableNumber = Self("table.number", "business number")
    package static let tableState = Self("table.state", "state")
    package static func tableSince(_ zone: String) -> Self { Self("table.since", "since (\(code: zone))") }
    package static let tableSide = Self("table.side", "side to retake")
    package static let tableTask = Self("table.task", "what to do")
    package static let tablePhoto = Self("table.photo", "photo")
    package static let tableCard = Self("table.card", "card")
    package static let tableCode = Self("table.code", "code")
    static func tableSides(_ sides: [CardSide]) -> Self { Self("table.sides", "\(sides)") }
    static let tableReview = Self("table.review", "a reviewer decides")
    static func tableSend(_ sides: [CardSide]) -> Self { Self("table.send", "send the \(sides)") }
    static func tableRetake(_ side: CardSide, _ reason: Message) -> Self { Self("table.retake", "retake the \(side): \(reason)") }
    static func tableTooLong(_ rows: Int) -> Self { Self("table.too_long", "a workbook holds at most \(count: rows) rows; narrow the list, or write CSV") }
}

import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static let chartThroughput = Self("chart.throughput", "Cards admitted, verified and delivered")
    static let chartRefusals = Self("chart.refusals", "Rejected, failed and held cards by reason")
    static let chartAdmitted = Self("chart.admitted", "admitted")
    static let chartVerified = Self("chart.verified", "verified")
    static let chartDelivered = Self("chart.delivered", "delivered")
    static let chartOther = Self("chart.other", "other reasons")
    static func chartSummary(_ from: Timestamp, to end: Timestamp, _ highest: Int) -> Self { Self("chart.summary", "Bars from \(from) to \(end); the highest bar is \(count: highest).") }
    static let chartNothing = Self("chart.nothing", "No card in this time.")
    static let chartNumbers = Self("chart.numbers", "Numbers")
    static let chartTime = Self("chart.time", "Time")
    static let chartSum = Self("chart.sum", "Sum")
}

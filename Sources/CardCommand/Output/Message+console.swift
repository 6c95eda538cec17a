import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static func consoleError(_ message: Message) -> Self { Self("console.error", "error: \(message)") }
    static func consoleWarning(_ message: Message) -> Self { Self("console.warning", "warning: \(message)") }
    static func consoleNote(_ message: Message) -> Self { Self("console.note", "note: \(message)") }
    static func consoleLeftOut(_ lines: Int) -> Self { Self("console.left_out", one: "note: \(count: lines) line was left out because this output was not read", other: "note: \(count: lines) lines were left out because this output was not read") }
}

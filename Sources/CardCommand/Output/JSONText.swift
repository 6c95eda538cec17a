import Foundation

/// Renders values as JSON for standard output: keys sorted, slashes plain.
enum JSONText {
    /// One line.
    static func line(_ value: some Encodable) -> String {
        self.render(value, pretty: false)
    }

    /// Indented over several lines.
    static func document(_ value: some Encodable) -> String {
        self.render(value, pretty: true)
    }

    private static func render(_ value: some Encodable, pretty: Bool) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            pretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            // Only numbers that are not finite cannot be encoded, and none is among our values.
            preconditionFailure("output cannot be encoded as JSON: \(error)")
        }
    }
}

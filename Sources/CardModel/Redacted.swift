/// A value that holds personal data or a secret and does not print itself.
///
/// `\(value)`, `String(describing:)`, `String(reflecting:)`, `dump` and loggers all show `<redacted>`; only `reveal()`,
/// which is easy to search for, returns the value.
package struct Redacted<Value: Sendable>: Sendable, Discreet {
    private let value: Value

    package init(_ value: Value) { self.value = value }

    package func reveal() -> Value { self.value }

    package var description: String { "<redacted>" }
}

extension Redacted: Equatable where Value: Equatable {}
extension Redacted: Hashable where Value: Hashable {}

extension Redacted: Codable where Value: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.value)
    }
}

/// A value that prints only its `description`, also in `dump` and the debugger.
package protocol Discreet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Discreet {
    package var debugDescription: String { self.description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The identifier of a delivery; its text is also the delivery's idempotency key (a UUID).
package struct DeliveryID: Hashable, Sendable, CustomStringConvertible {
    /// A UUID in lower case.
    package let rawValue: String

    /// Takes an identifier that was made before.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { self.rawValue }
}

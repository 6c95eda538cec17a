/// The identifier of a card in the sandbox: the one name of a card that may appear in logs.
package typealias CardID = Identifier<Card>

/// The identifier of a delivery.
package typealias DeliveryID = Identifier<OutboundDelivery>

/// An identifier in the sandbox, made as a UUID version 7 (RFC 9562 section 5.7): ids sort by the time of intake.
package struct Identifier<Owner>: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The canonical lower-case text form, 36 characters.
    package let rawValue: String

    /// Takes an identifier that was made before.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { self.rawValue }

    /// Makes a new identifier.
    ///
    /// - Parameters:
    ///   - time: the time of intake, in the first 48 bits.
    ///   - random: the source of the other 74 bits.
    package static func generate(at time: Timestamp, using random: inout some RandomNumberGenerator) -> Self {
        Self(rawValue: UUIDText.version7(at: time, using: &random))
    }
}

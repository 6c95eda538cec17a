/// The identifier of a card in the sandbox: the one name of a card that may appear in logs.
///
/// Made by `CardID.generate(at:randomBytes:)` as a UUID version 7 (RFC 9562 section 5.7), so ids sort by the time of intake.
package struct CardID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
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
    package static func generate(at time: Timestamp, using random: inout some RandomNumberGenerator) -> CardID {
        CardID(rawValue: UUIDText.version7(at: time, using: &random))
    }
}

/// The identifier of a delivery; made as that of a card is.
package struct DeliveryID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The canonical lower-case text form, 36 characters.
    package let rawValue: String

    /// Takes an identifier that was made before.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { self.rawValue }
}

import Foundation

/// The identifier of a card in the sandbox: the one name of a card that may appear in logs.
package typealias CardID = Identifier<Card>

package typealias DeliveryID = Identifier<OutboundDelivery>

/// An identifier in the sandbox, made as a UUID version 7 (RFC 9562 section 5.7): ids sort by the time of intake.
package struct Identifier<Owner>: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The canonical lower-case text form, 36 characters.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

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

/// Makes UUIDs as text from injected time and randomness (RFC 9562), so that tests can repeat them.
package enum UUIDText {
    /// Makes a version 7 UUID: 48 bits of milliseconds, then 74 random bits.
    package static func version7(at time: Timestamp, using random: inout some RandomNumberGenerator) -> String {
        let milliseconds = UInt64(max(0, time.millisecondsSinceEpoch))
        let high = (milliseconds << 16) | 0x7000 | (random.next() & 0x0FFF)
        return self.text(high: high, low: self.variant(random.next()))
    }

    /// Makes a version 4 UUID: 122 random bits.
    package static func version4(using random: inout some RandomNumberGenerator) -> String {
        let high = (random.next() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        return self.text(high: high, low: self.variant(random.next()))
    }

    private static func variant(_ bits: UInt64) -> UInt64 {
        (bits & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    }

    private static func text(high: UInt64, low: UInt64) -> String {
        let bytes = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) }
        return UUID(uuid: bytes).uuidString.lowercased()
    }
}

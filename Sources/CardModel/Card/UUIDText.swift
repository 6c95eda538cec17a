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

    /// Returns the 128 bits of a UUID in its canonical lower-case form; `nil` for any other text.
    package static func bits(of text: String) -> (high: UInt64, low: UInt64)? {
        var bits: (high: UInt64, low: UInt64) = (0, 0)
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            let digit: UInt8
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            bits = (bits.high << 4 | bits.low >> 60, bits.low << 4 | UInt64(digit))
        }
        return bits
    }

    /// Returns the canonical lower-case form of 128 bits, 36 characters.
    package static func text(high: UInt64, low: UInt64) -> String {
        let digits = Array((self.hex(high) + self.hex(low)).utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

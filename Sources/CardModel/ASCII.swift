extension UInt8 { package var isASCIIDigit: Bool { 0x30...0x39 ~= self } }

extension Collection<UInt8> {
    /// Whether there is at least one byte, and all are ASCII digits.
    package var areASCIIDigits: Bool { !self.isEmpty && self.allSatisfy(\.isASCIIDigit) }
}

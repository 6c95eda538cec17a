extension UInt8 { package var isASCIIDigit: Bool { 0x30...0x39 ~= self } }

extension Collection<UInt8> {
    /// Whether these are ASCII digits, at least one.
    package var areASCIIDigits: Bool { !self.isEmpty && self.allSatisfy(\.isASCIIDigit) }
}

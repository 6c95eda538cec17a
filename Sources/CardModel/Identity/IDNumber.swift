/// A resident identity number of 18 characters that passed every check of GB 11643-1999; it does not print itself.
///
/// Made by `IDNumber.parse(_:)`. The structure: 6 digits region (GB/T 2260 at the time of issue), 8 birth date, 3
/// sequence (odd = male), 1 check character by ISO 7064 MOD 11-2.
package struct IDNumber: Hashable, Sendable, Discreet {
    /// Why a text is not a resident identity number.
    package enum Violation: String, Error, Sendable, CaseIterable {
        /// Not 17 digits and a digit or X.
        case malformed
        /// A complete number of the first generation, 15 digits: its cards expired in 2013, and no later card has one.
        case firstGeneration
        /// The number of another document: foreigner's permanent residence, or a Hong Kong, Macao or Taiwan residence
        /// permit.
        case unsupportedDocument
        case checksum
        /// The region prefix never issued cards.
        case region
        /// The birth date is not a day of the calendar or lies before 1880.
        case birthDate
    }

    private let text: String
    /// The birth date in positions 7 to 14.
    package let birthDate: CalendarDay
    /// The gender by the parity of position 17.
    package let gender: Gender

    /// Returns the 18 characters, X in upper case.
    package func reveal() -> String { self.text }

    package var description: String { "<redacted>" }

    /// Reads a number as a verifier or a person wrote it.
    ///
    /// Full-width characters and a lower-case x are folded first.
    package static func parse(_ raw: String) -> Result<IDNumber, Violation> {
        let text = self.normalise(raw)
        let bytes = Array(text.utf8)
        if bytes.count == 15, self.looksLikeOldResidencePermit(bytes) { return .failure(.unsupportedDocument) }
        if bytes.count == 15, case .success = self.upgrade(firstGeneration: text) { return .failure(.firstGeneration) }
        guard bytes.count == 18, bytes.dropLast().allSatisfy(\.isASCIIDigit) else { return .failure(.malformed) }
        guard bytes[17].isASCIIDigit || bytes[17] == UInt8(ascii: "X") else { return .failure(.malformed) }
        guard bytes[17] == self.checkCharacter(of: bytes[..<17]) else { return .failure(.checksum) }
        let isOfPermit = bytes[0] == UInt8(ascii: "9") || ["810000", "820000", "830000"].contains(text.prefix(6))
        guard !isOfPermit else { return .failure(.unsupportedDocument) }
        guard self.provinces.contains(self.number(bytes[0..<2])) else { return .failure(.region) }
        guard let birthDate = self.birthDate(in: bytes) else { return .failure(.birthDate) }
        let gender: Gender = (bytes[16] - UInt8(ascii: "0")).isMultiple(of: 2) ? .female : .male
        return .success(IDNumber(text: text, birthDate: birthDate, gender: gender))
    }

    /// Reads a number that a person registered with, like `parse(_:)`, but upgrades a number of 15 digits.
    package static func parse(registered raw: String) -> Result<IDNumber, Violation> {
        self.parse(raw).flatMapError { violation in
            violation == .firstGeneration ? self.upgrade(firstGeneration: raw) : .failure(violation)
        }
    }

    /// Upgrades a 15-digit number of GB 11643-1989: inserts the century 19 and appends the check character.
    package static func upgrade(firstGeneration raw: String) -> Result<IDNumber, Violation> {
        let bytes = Array(self.normalise(raw).utf8)
        guard bytes.count == 15, bytes.allSatisfy(\.isASCIIDigit) else { return .failure(.malformed) }
        let body = bytes[..<6] + Array("19".utf8) + bytes[6...]
        return self.parse(String(decoding: body + [self.checkCharacter(of: body)], as: UTF8.self))
    }

    /// Whether a text contains an identity number of 18 characters, of a citizen or a residence permit, with region,
    /// birth date and the right check character. Separators between the digits and digits of other scripts hide none.
    package static func isContained(in raw: String) -> Bool {
        // Replaces only digits, not characters for larger numbers, such as 十, or 京 in 北京.
        let letters = raw.lettersAndDigits.map { letter in
            letter.wholeNumberValue.flatMap { 0...9 ~= $0 ? "\($0)" : nil } ?? "\(letter)"
        }
        return self.hasUnbrokenNumber(raw) || self.hasUnbrokenNumber(letters.joined())
    }

    /// Whether 17 consecutive digits and the next character are an identity number.
    private static func hasUnbrokenNumber(_ raw: String) -> Bool {
        let bytes = Array((raw.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? raw.uppercased() : self.normalise(raw)).utf8)
        var digits = 0
        for (index, byte) in bytes.enumerated() {
            if digits >= 17, self.isNumber(Array(bytes[index - 17...index])) { return true }
            digits = byte.isASCIIDigit ? digits + 1 : 0
        }
        return false
    }

    /// Whether 17 digits and a further character are the number of a citizen or a residence permit.
    private static func isNumber(_ bytes: [UInt8]) -> Bool {
        // Numbers of residence permits begin with 9, 81, 82 or 83.
        let isRegion =
            bytes[0] == UInt8(ascii: "9") || self.number(bytes[0..<2]) == 83
            || self.provinces.contains(self.number(bytes[0..<2]))
        guard isRegion, bytes[17] == self.checkCharacter(of: bytes[..<17]) else { return false }
        // A later birth year means that another long number passes the check by chance: such numbers are permitted.
        return self.birthDate(in: bytes).map { $0.year < 2100 } ?? false
    }

    private static let provinces: Set<Int> = [
        11, 12, 13, 14, 15, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 41, 42, 43, 44, 45, 46,
        50, 51, 52, 53, 54, 61, 62, 63, 64, 65, 71, 81, 82,
    ]

    /// Computes ISO 7064 MOD 11-2 over the 17 leading digits.
    private static func checkCharacter(of digits: some Collection<UInt8>) -> UInt8 {
        let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
        let sum = zip(digits, weights).reduce(0) { $0 + Int($1.0 - UInt8(ascii: "0")) * $1.1 }
        return Array("10X98765432".utf8)[sum % 11]
    }

    private static func birthDate(in bytes: [UInt8]) -> CalendarDay? {
        let (year, month) = (self.number(bytes[6..<10]), self.number(bytes[10..<12]))
        let day = CalendarDay(year: year, month: month, day: self.number(bytes[12..<14]))
        guard let day, day.year >= 1880 else { return nil }
        return day
    }

    private static func looksLikeOldResidencePermit(_ bytes: [UInt8]) -> Bool {
        bytes[..<3].allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && bytes[3...].allSatisfy(\.isASCIIDigit)
    }

    private static func normalise(_ raw: String) -> String { PrintedText.folded(raw).uppercased() }

    private static func number(_ digits: some Collection<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

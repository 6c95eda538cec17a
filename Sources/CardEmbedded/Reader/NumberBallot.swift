/// Collects several readings of one printed number and chooses the result.
///
/// Nothing is ever completed or corrected: the result is a reading that tesseract gave, or (when no two readings agree)
/// the most frequent character at each position. A wrong check character on the card is returned, because all readings
/// agree on it.
struct NumberBallot: Sendable {
    private var readings: [String] = []

    /// Adds the text of one attempt; everything but digits and X is dropped.
    mutating func add(_ text: String) {
        let cleaned = Self.cleaned(text)
        if cleaned.count >= 10 { self.readings.append(cleaned) }
    }

    /// A reading that needs no further attempt: the first one or one that occurred twice, if its check character is valid, or
    /// one that occurred three times.
    var certain: String? {
        if let first = self.readings.first, Self.hasValidCheck(first) { return first }
        return self.readings.first { reading in
            let votes = self.readings.count { $0 == reading }
            return votes >= 3 || (votes == 2 && Self.hasValidCheck(reading))
        }
    }

    /// The best result after all attempts; `nil` when nothing like a number was seen.
    var result: String? {
        let whole = self.readings.filter { $0.count == 18 }
        guard !whole.isEmpty else { return self.readings.max { $0.count < $1.count } }
        let counts = whole.map { reading in whole.count { $0 == reading } }
        if let highest = counts.max(), highest > 1 {
            let leaders = zip(whole, counts).filter { $0.1 == highest }.map(\.0)
            return leaders.first(where: Self.hasValidCheck) ?? leaders.first
        }
        return whole.first(where: Self.hasValidCheck) ?? Self.majority(of: whole)
    }

    /// Upper-case digits and X of a text, full-width forms folded.
    static func cleaned(_ text: String) -> String {
        let characters = text.compactMap { character -> Character? in
            if character == "X" || character == "x" { return "X" }
            guard let value = character.wholeNumberValue, (0...9).contains(value) else { return nil }
            return Character(String(value))
        }
        return String(characters)
    }

    /// Whether the last of 18 characters is the check character of the first 17 (ISO 7064 MOD 11-2, GB 11643-1999).
    static func hasValidCheck(_ number: String) -> Bool {
        let characters = Array(number)
        guard characters.count == 18 else { return false }
        let digits = characters.dropLast().compactMap(\.wholeNumberValue)
        guard digits.count == 17 else { return false }
        let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
        let sum = zip(digits, weights).reduce(0) { $0 + $1.0 * $1.1 }
        return characters[17] == Array("10X98765432")[sum % 11]
    }

    private static func majority(of readings: [String]) -> String {
        let columns = (0..<18).map { index in readings.map { Array($0)[index] } }
        let winners = columns.map { column in
            column.max { first, second in column.count { $0 == first } < column.count { $0 == second } } ?? "0"
        }
        return String(winners)
    }
}

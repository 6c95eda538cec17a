package import Foundation

// A business number that names a person: it stands in the clear in tables, lists and file names.
extension BusinessNumber {
    /// Whether the number contains a person's name of two characters or more, however it is written.
    package func contains(_ name: Redacted<String>?) -> Bool {
        guard let name else { return false }
        return HolderName(name.reveal()).isContained(in: HolderName(self.rawValue))
    }

    /// The digest that stands in place of an erased number: `~` and 16 hexadecimal digits.
    package init(digest: Data) {
        let digits = digest.prefix(8).map { String(format: "%02x", $0) }.joined()
        self.init(stored: "~\(digits)")
    }

    /// Whether this is the digest of an erased number, which no submitter may give.
    package var isDigest: Bool { Self.isDigest(self.rawValue) }

    static func isDigest(_ text: String) -> Bool { text.wholeMatch(of: /~[0-9a-f]{16}/) != nil }

    /// Selects the folders of one list whose names look like a number and a person's name.
    ///
    /// Such a name has two to four Chinese characters at one end. What is left is another number of the list, or looks like four
    /// fifths of its numbers, of which there are at least five: the same letters (`A`), digits (`9`) and other characters.
    package static func namingPersons(_ numbers: Set<BusinessNumber>) -> Set<BusinessNumber> {
        let patterns = Dictionary(grouping: numbers, by: { Self.pattern(of: $0.rawValue) }).mapValues(\.count)
        return numbers.filter { number in
            guard let without = Self.withoutName(number.rawValue) else { return false }
            let alike = patterns[Self.pattern(of: without)] ?? 0
            let isUsual = numbers.count >= 5 && alike * 5 >= numbers.count * 4
            return isUsual || numbers.contains(BusinessNumber(stored: without))
        }
    }

    private static func withoutName(_ text: String) -> String? {
        let ends = [#/(.+?)[ _\-－—·]*\p{Han}{2,4}/#, #/\p{Han}{2,4}[ _\-－—·]*(.+)/#]
        return ends.lazy.compactMap { text.wholeMatch(of: $0) }.map { String($0.1) }
            .first { $0.firstMatch(of: /\p{Han}/) == nil }
    }

    private static func pattern(of text: String) -> String {
        String(text.map { $0.isASCII && $0.isLetter ? "A" : $0.isWholeNumber ? "9" : $0 })
    }
}

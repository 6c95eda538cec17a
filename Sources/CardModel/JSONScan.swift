package import Foundation

/// What a decoder does not tell of the JSON that it reads.
package struct JSONScan {
    /// The keys that stand twice in one object, sorted; a decoder keeps one of two.
    package let repeatedKeys: [String]
    /// Whether a number outside of the texts has a fraction or an exponent; a decoder makes whole numbers of some.
    package let hasFractionOrExponent: Bool

    /// Looks through JSON that may be malformed: then it says nothing of use.
    package init(_ json: Data) {
        var (objects, repeated, hasFractionOrExponent): ([Set<String>], Set<String>, Bool) = ([], [], false)
        json.withUnsafeBytes { bytes in
            var (index, text, isNumber) = (0, 0..<0, false)
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "{"): objects.append([])
                case UInt8(ascii: "}"): _ = objects.popLast()
                case UInt8(ascii: "\""):
                    let end = Self.endOfText(bytes, from: index)
                    text = index..<end + 1
                    index = end
                // A text before a colon is a key.
                case UInt8(ascii: ":"):
                    guard !objects.isEmpty, let key = Self.text(Data(bytes[text])) else { break }
                    if !objects[objects.count - 1].insert(key).inserted { repeated.insert(key) }
                case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
                    if isNumber { hasFractionOrExponent = true }
                default: break
                }
                isNumber = UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index]
                index += 1
            }
        }
        (self.repeatedKeys, self.hasFractionOrExponent) = (repeated.sorted(), hasFractionOrExponent)
    }

    /// The quote that closes a text, or the last byte.
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count - 1)
    }

    /// A text without its quotes; escapes in it are read as the decoder reads them.
    private static func text(_ quoted: Data) -> String? {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(validating: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: quoted)
    }
}

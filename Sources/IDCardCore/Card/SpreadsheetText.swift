/// Texts that a spreadsheet puts in the place of a number: one text stands for many numbers, whose digits are lost.
package enum SpreadsheetText {
    /// What to do about it; reads on after the name of the value.
    package static let words =
        "is what a spreadsheet shows in place of a number (1.23457E+15, #N/A); its digits are lost: format the column as text "
        + "before the numbers are entered or loaded, and export it again"

    /// Whether a text as a whole is a number in scientific notation, or an error of a spreadsheet.
    package static func isDamage(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        if first == UInt8(ascii: "#") { return self.isError(text) }
        return self.isDigit(first) && self.isScientific(Array(text.utf8))
    }

    /// `[0-9]([.,][0-9]+)?[Ee][+-][0-9]{2,}`: some countries write the decimal point as a comma.
    private static func isScientific(_ bytes: [UInt8]) -> Bool {
        var rest = bytes.dropFirst()
        if let mark = rest.first, mark == UInt8(ascii: ".") || mark == UInt8(ascii: ",") {
            let fraction = rest.dropFirst().prefix(while: self.isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard let mark = rest.popFirst(), mark | 0x20 == UInt8(ascii: "e") else { return false }
        guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
        return rest.count >= 2 && rest.allSatisfy(self.isDigit)
    }

    private static let errors: Set<String> = [
        "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA",
    ]

    /// A column that is too narrow is shown, and printed to a file, as nothing but `#`.
    private static func isError(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "#") } || self.errors.contains(text.uppercased())
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}

/// Numbers of bytes as people write them in configuration: `1990000`, `2MB` (powers of ten), `32MiB` (powers of two).
package enum ByteCountText {
    /// The form in words, for messages.
    package static let expectation = "a number of bytes, plain or with a unit, such as 1990000, 500KiB, 2MB or 32MiB"

    private static let units: [(suffix: String, bytes: Int)] = [
        ("", 1), ("B", 1), ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000),
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    /// Reads a number of bytes; `nil` if the text has another form or the number is too large.
    package static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        var suffix = text.dropFirst(digits.count)
        // `32 MiB` is how people write it; YAML and shells keep the blank.
        if suffix.first == " " { suffix = suffix.dropFirst() }
        guard let unit = Self.units.first(where: { $0.suffix == suffix }), let number = Int(digits) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit.bytes)
        return overflow ? nil : bytes
    }

    /// Writes a number of bytes: with a binary unit if it is a whole number of them (`32MiB`), else plain.
    package static func render(_ bytes: Int) -> String {
        guard bytes != 0 else { return "0" }
        for (suffix, size) in Self.units.suffix(3).reversed() where bytes.isMultiple(of: size) {
            return "\(bytes / size)\(suffix)"
        }
        return "\(bytes)"
    }
}

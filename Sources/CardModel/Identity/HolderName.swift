/// A holder's name for comparison: what is written alike is equal.
///
/// Folded are compatibility forms (NFKC), white space, invisible characters, case, and the look-alikes of the middle dot that stands
/// between the parts of minority names: keyboards, readers and other systems each write another one.
struct HolderName: Hashable {
    private let folded: String

    init(_ raw: String) {
        let dotted = String(String.UnicodeScalarView(raw.unicodeScalars.map { Self.dots.contains($0) ? "·" : $0 }))
        self.folded = PrintedText.folded(dotted).lowercased()
    }

    /// How many characters the name has.
    var count: Int { self.folded.count }

    /// Middle dots, bullets and full stops, full-width and half-width: before NFKC, which makes two characters of some.
    private static let dots: Set<Unicode.Scalar> = [
        "\u{B7}", "\u{2D9}", "\u{387}", "\u{16EB}", "\u{2022}", "\u{2024}", "\u{2027}", "\u{2218}", "\u{2219}",
        "\u{22C5}",
        "\u{25CF}", "\u{25E6}", "\u{2E31}", "\u{2E33}", "\u{3002}", "\u{30FB}", "\u{A78F}", "\u{FE52}", "\u{FF0E}",
        "\u{FF61}", "\u{FF65}", ".",
    ]
}

/// A holder's name for comparison: what is written alike is equal.
///
/// Folded are compatibility forms (NFKC), characters with two codes, white space, invisible characters, case, and the
/// look-alikes of the middle dot that stands between the parts of minority names: keyboards, readers and other systems
/// each write another one.
struct HolderName: Hashable {
    private let folded: String

    init(_ raw: String) {
        let scalars = raw.unicodeScalars.map { scalar in
            Self.lookAlikes[scalar] ?? ReassignedCharacter.current(scalar)
        }
        self.folded = PrintedText.folded(String(String.UnicodeScalarView(scalars))).lowercased()
    }

    var count: Int { self.folded.count }

    /// Whether a character of a name was replaced by an asterisk or the like, as some services do with personal data.
    static func isMasked(_ raw: String) -> Bool {
        raw.unicodeScalars.contains { "*＊∗✱×?？□■▢�".unicodeScalars.contains($0) }
    }

    /// Middle dots, bullets and full stops, full-width and half-width, and circles written for 〇: before NFKC, which
    /// makes two characters of some.
    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        let dots: [Unicode.Scalar] = [
            ".", "\u{2D9}", "\u{387}", "\u{1427}", "\u{16EB}", "\u{2022}", "\u{2024}", "\u{2027}", "\u{2218}",
            "\u{2219}",
            "\u{22C5}", "\u{25CF}", "\u{25E6}", "\u{2E31}", "\u{2E33}", "\u{3002}", "\u{30FB}", "\u{318D}", "\u{A78F}",
            "\u{FE52}", "\u{FF0E}", "\u{FF61}", "\u{FF65}",
        ]
        let circles: [Unicode.Scalar] = ["\u{25CB}", "\u{25EF}"]
        return Dictionary(uniqueKeysWithValues: dots.map { ($0, "\u{B7}") } + circles.map { ($0, "〇") })
    }()
}

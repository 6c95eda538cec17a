/// A holder's name for comparison: names that look alike are equal. Folds compatibility forms (NFKC), characters with two codes,
/// white space, invisible characters, case, and the look-alikes of the middle dot between the parts of minority names: each
/// keyboard, reader and system writes another look-alike.
struct HolderName: Hashable {
    private let folded: String

    init(_ raw: String) {
        let scalars = raw.unicodeScalars.map { scalar in
            Self.lookAlikes[scalar] ?? ReassignedCharacter.current(scalar)
        }
        self.folded = PrintedText.folded(String(String.UnicodeScalarView(scalars))).lowercased()
    }

    var count: Int { self.folded.count }

    func isContained(in other: HolderName) -> Bool { self.count > 1 && other.folded.contains(self.folded) }

    /// Whether a character of a name was replaced by an asterisk or the like, as some services do with personal data.
    static func isMasked(_ raw: String) -> Bool {
        raw.unicodeScalars.contains { "*＊∗✱×?？□■▢�".unicodeScalars.contains($0) }
    }

    /// Middle dots, bullets and full stops, full-width and half-width, and circles written for 〇. Replaced before NFKC,
    /// which turns some of them into two characters.
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

/// Characters with two codes: GBK of 1995 had some that Unicode lacked then, and put them into the private-use area.
///
/// Later standards gave each a public code, but old systems, fonts and input methods still write the private one, so the
/// same name comes with either code. Sources: GB 18030-2000, appendix E, for the characters that moved first; GB
/// 18030-2022 for U+9FB4…U+9FBB, the vertical punctuation (18 codes) and the six of the supplementary plane. glibc's
/// tables of GBK and GB18030 agree.
enum ReassignedCharacter {
    /// Runs of consecutive private-use codes: the first code, and the characters of the run in order.
    private static let runs: [(first: UInt32, characters: String)] = [
        // GBK A6D9…A6F3 and A8BC, A8BF.
        (0xE78D, "︐︒︑︓︔︕︖︗︘︙"),
        (0xE7C7, "ḿǹ"),
        // GBK FE50…FEA0.
        (0xE815, "⺁𠂇𠂉𠃌⺄㑳㑇⺈⺋龴㖞㘚㘎⺌⺗㥮㤘龵㧏㧟㩳㧐龶龷㭎㱮㳠⺧𡗗龸⺪䁖䅟⺮䌷⺳⺶⺷𢦏䎱"),
        (0xE83D, "䎬⺻䏝䓖䙡䙌龹䜣䜩䝼䞍⻊䥇䥺䥽䦂䦃䦅䦆䦟䦛䦷䦶龺𤇾䲣䲟䲠䲡䱷䲢䴓䴔䴕䴖䴗䴘䴙䶮龻"),
    ]

    private static let assigned: [Unicode.Scalar: Unicode.Scalar] = Self.runs.reduce(into: [:]) { table, run in
        for (code, scalar) in zip(run.first..., run.characters.unicodeScalars) {
            if let old = Unicode.Scalar(code) { table[old] = scalar }
        }
    }

    /// Returns the code that a character has today.
    static func current(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        0xE000...0xF8FF ~= scalar.value ? self.assigned[scalar] ?? scalar : scalar
    }
}

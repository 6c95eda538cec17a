import Testing

@testable import CardModel

/// Which spellings are one name (field case F4), and which are not.
@Suite struct HolderNameTests {
    /// Pairs of codes for one character: the private-use one of GBK, and the one of Unicode.
    private static let twoCodes: [(UInt32, UInt32)] = [
        // GB 18030-2022 moved these eight, FE59 to FEA0 …
        (0xE81E, 0x9FB4), (0xE826, 0x9FB5), (0xE82B, 0x9FB6), (0xE82C, 0x9FB7), (0xE832, 0x9FB8), (0xE843, 0x9FB9),
        (0xE854, 0x9FBA), (0xE864, 0x9FBB),
        // … and punctuation for vertical lines, A6D9 to A6F3;
        (0xE78D, 0xFE10), (0xE78E, 0xFE12), (0xE78F, 0xFE11), (0xE790, 0xFE13), (0xE791, 0xFE14), (0xE792, 0xFE15),
        (0xE793, 0xFE16), (0xE794, 0xFE17), (0xE795, 0xFE18), (0xE796, 0xFE19),
        // six are in the supplementary plane.
        (0xE816, 0x20087), (0xE817, 0x20089), (0xE818, 0x200CC), (0xE831, 0x215D7), (0xE83B, 0x2298F),
        (0xE855, 0x241FE),
        // GB 18030-2000 moved the others: the first and the last of each run, and those that names use.
        (0xE815, 0x2E81), (0xE81A, 0x3473), (0xE81F, 0x359E), (0xE825, 0x3918), (0xE82F, 0x3CE0), (0xE83D, 0x43AC),
        (0xE840, 0x44D6), (0xE849, 0x4947), (0xE84E, 0x4985), (0xE853, 0x49B6), (0xE856, 0x4CA3), (0xE85C, 0x4D13),
        (0xE862, 0x4D19), (0xE863, 0x4DAE), (0xE7C7, 0x1E3F), (0xE7C8, 0x1F9),
    ]

    @Test(arguments: twoCodes)
    func `A character that GBK kept in the private-use area is the one of Unicode`(old: UInt32, new: UInt32) throws {
        let (old, new) = (try #require(Unicode.Scalar(old)), try #require(Unicode.Scalar(new)))
        #expect(HolderName("测\(Character(old))") == HolderName("测\(Character(new))"))
    }

    @Test func `Every one of the 80 of GBK has a code of its own, and what lies beside them stays as it is`() throws {
        let current = try (0xE815...0xE864).map { ReassignedCharacter.current(try #require(Unicode.Scalar($0))) }
        #expect(Set(current).count == 80)
        #expect(current.allSatisfy { !(0xE000...0xF8FF).contains($0.value) })
        for code in [0xE000, 0xE78C, 0xE797, 0xE7C6, 0xE7C9, 0xE814, 0xE865, 0xF8FF] {
            let scalar = try #require(Unicode.Scalar(code))
            #expect(ReassignedCharacter.current(scalar) == scalar)
        }
    }

    @Test(arguments: [
        // Compatibility ideographs of GBK and of Big5, a Kangxi radical, a variation selector.
        ("\u{F92C}", "郎"), ("\u{F979}", "凉"), ("\u{F9F1}", "隣"), ("\u{FA18}", "礼"), ("\u{FA0C}", "兀"),
        ("\u{2F08}", "人"), ("葛\u{E0100}", "葛"),
        ("\u{25CB}", "〇"), ("\u{25EF}", "〇"),
    ])
    func `Compatibility forms are one character`(form: String, plain: String) {
        #expect(HolderName("测" + form) == HolderName("测" + plain))
    }

    @Test(arguments: [
        ("测\u{4DAE}", "测\u{4D19}"), ("测\u{E863}", "测\u{E862}"), ("测\u{E863}", "测"), ("样本·甲", "样本甲"),
        ("\u{FA0E}", "\u{FA0F}"), ("未", "末"), ("\u{E865}", "\u{E866}"),
    ])
    func `Other characters are another name`(first: String, second: String) {
        #expect(HolderName(first) != HolderName(second))
    }
}

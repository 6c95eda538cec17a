import CardModel
import Testing

@Suite struct LegalityTests {
    @Test(arguments: [
        [:] as [String: Double], ["ID Photo": 0, "Temporary ID Photo ": 0, "Photocopy": 0, "Screen": 0, "Edited": 0],
        ["ID_Photo_Threshold": 0.8],
        ["ID_Photo": 0, "Edited": 0, "ID_Photo_Threshold": 0.8],
    ])
    func `Without scores, or with zeros alone, it is unavailable`(scores: [String: Double]) {
        #expect(Legality(vendorScores: scores) == nil)
    }

    @Test(arguments: ["ID Photo", "ID_Photo", " ID Photo", "ID Photo ", "ID_Photo_", "ID  Photo"])
    func `Keys of all dialects are one: underscores, and white space outside`(key: String) throws {
        let legality = try #require(Legality(vendorScores: [key: 0.9]))
        #expect(legality.scores == ["ID Photo": 0.9])
        #expect(legality.genuineScore == 0.9)
    }

    @Test(arguments: [
        // A temporary card is not genuine, whether or not genuine was scored.
        (["Temporary ID Photo ": 0.7, "ID_Photo": 0.25], 0.25, "Temporary ID Photo" as String?),
        (["Temporary ID Photo": 0.95], 0, "Temporary ID Photo"),
        // Classes that come later are kept, and can be the strongest.
        (["ID Photo": 0.3, "Hologram_Missing": 0.5, "Photocopy": 0.2], 0.3, "Hologram Missing"),
        // A tie goes by the alphabet; a class without a score is none.
        (["ID Photo": 0.5, "Screen": 0.25, "Edited": 0.25], 0.5, "Edited"),
        (["ID Photo": 0.5, "Screen": 0], 0.5, nil), (["ID Photo": 0.5], 0.5, nil),
    ])
    func `The strongest other class is never genuine`(scores: [String: Double], genuine: Double, strongest: String?) {
        let legality = Legality(vendorScores: scores)
        #expect(legality?.genuineScore == genuine && legality?.strongestOtherClass == strongest)
        #expect(legality?.scores.values.sorted() == scores.values.sorted())
    }

    @Test(arguments: [
        ("Mask-Photo_2", "Mask-Photo 2"), (String(repeating: "a", count: 40), String(repeating: "a", count: 40)),
        (String(repeating: "a", count: 41), "other"), ("", "other"), (" _ ", "other"), ("屏幕", "other"),
        ("Ｓｃｒｅｅｎ", "other"), ("Écran", "other"), ("a\u{7}b", "other"), ("a\u{202E}b", "other"), ("a,b", "other"),
        ("a\nb", "a b"), ("\tScreen\r\n", "Screen"),
    ])
    func `A name is at most 40 ASCII letters, digits, blanks, dashes, else other`(key: String, expected: String) {
        #expect(Legality.normalise(key) == expected)
        #expect(Legality(vendorScores: [key: 0.5])?.scores == [expected: 0.5])
    }

    @Test func `Of several classes with odd names the strongest counts`() {
        #expect(Legality(vendorScores: ["甲": 0.2, "乙": 0.6, "丙": 0.1])?.scores == ["other": 0.6])
    }

    @Test func `A threshold among the scores is a threshold and no class`() throws {
        let legality = try #require(
            Legality(vendorScores: ["ID_Photo": 0.2, "Screen": 0.3, "ID_Photo_Threshold": 0.8])
        )
        #expect(legality.vendorThreshold == 0.8)
        #expect(legality.scores == ["ID Photo": 0.2, "Screen": 0.3])
        #expect(legality.strongestOtherClass == "Screen")
    }

    @Test(arguments: [0, -1, 1.01, .nan, .infinity])
    func `A threshold that lets everything or nothing pass is none`(threshold: Double) throws {
        let legality = try #require(Legality(vendorScores: ["ID Photo": 0.2], vendorThreshold: threshold))
        #expect(legality.vendorThreshold == nil)
    }

    @Test(arguments: 0..<20)
    func `Of two keys for one class the score against the card counts`(round: Int) {
        let legality = Legality(vendorScores: ["ID Photo": 0.9, "ID_Photo": 0.1, "Screen": 0.1, "Screen ": 0.8])
        #expect(legality?.scores == ["ID Photo": 0.1, "Screen": 0.8])
    }
}

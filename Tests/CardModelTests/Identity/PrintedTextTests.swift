import CardModel
import Foundation
import Testing

/// Words on cards, in replies and from senders.
@Suite struct PrintedTextTests {
    @Test(arguments: [
        ("男", Gender.male as Gender?), (" 男 ", .male), ("男性", .male), ("M", .male), ("Male", .male), ("Ｍ", .male),
        ("女", .female), ("女\n", .female), ("女性", .female), ("f", .female), ("FEMALE", .female), ("", nil), ("勇", nil),
        ("1", nil), ("男女", nil), ("未知", nil), ("malefemale", nil),
    ])
    func `A gender is read in the words of cards and replies`(text: String, expected: Gender?) {
        #expect(Gender(printed: text) == expected)
    }

    @Test(arguments: [
        ("front", CardSide.front as CardSide?), (" Back ", .back), ("ＦＲＯＮＴ", .front), ("人像面", .front), ("国徽面", .back),
        ("正面", nil), ("反面", nil), ("both", nil), ("", nil),
    ])
    func `A side is read in words that all people use for the same side`(text: String, expected: CardSide?) {
        #expect(CardSide(submitted: text) == expected)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `The digest of bytes is SHA-256`(text: String, expected: String) {
        #expect(ContentDigest(of: Data(text.utf8)).hexadecimal == expected)
    }

    @Test(arguments: [("  a b \n", "a b"), ("\u{3000}甲\u{A0}", "甲"), ("a", "a"), (" \t ", ""), ("", "")])
    func `White space around a text is taken off`(text: String, expected: String) {
        #expect(text.trimmed == expected)
    }
}

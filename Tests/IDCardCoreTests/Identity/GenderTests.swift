import IDCardCore
import Testing

@Suite("The gender a card or a reply gives")
struct GenderTests {
    @Test("Spellings of a man", arguments: ["男", " 男 ", "男性", "M", "m", "Male", "MALE", "Ｍ"])
    func male(text: String) {
        #expect(Gender(printed: text) == .male)
    }

    @Test("Spellings of a woman", arguments: ["女", "女\n", "女性", "F", "f", "Female", "FEMALE"])
    func female(text: String) {
        #expect(Gender(printed: text) == .female)
    }

    @Test("Anything else is neither", arguments: ["", "勇", "1", "男女", "未知", "X", "malefemale"])
    func unknown(text: String) {
        #expect(Gender(printed: text) == nil)
    }
}

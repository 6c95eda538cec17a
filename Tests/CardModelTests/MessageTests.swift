import CardModel
import Foundation
import Testing

/// Texts for people: templates with typed arguments.
@Suite struct MessageTests {
    private let secret = Redacted("样本甲")

    @Test func `A literal with values becomes a template with numbered places`() {
        let count = 3
        let message: Message = "\(count) of \("image") in \(self.secret), \(CardSide.front), \(0.5), \(UInt64.max)"
        #expect(message.template == "{1} of {2} in {3}, {4}, {5}, {6}")
        #expect(
            message.arguments == [
                .number(3), .text("image"), .personal(self.secret), .text("front"), .text("0.5"), .number(.max),
            ]
        )
        #expect(message.text() == "3 of image in 样本甲, front, 0.5, 9223372036854775807")
    }

    @Test func `Personal values are shown in the text and hidden in every description, however deep`() {
        let inner: Message = "the name is \(self.secret)"
        let outer: Message = "refused: \(inner); " + inner
        #expect(outer.text() == "refused: the name is 样本甲; the name is 样本甲")
        #expect(outer.description == "refused: the name is <redacted>; the name is <redacted>")
        #expect(PrintedForms(outer).hide(["样本"]))
        let error = CodedError(.fieldInvalid, .input, outer)
        #expect(error.description == "field_invalid: \(outer.description)")
        #expect(PrintedForms(error).hide(["样本"]))
    }

    @Test(arguments: ["{", "}", "{}", "{1}", "{{1}}", "a{b}c", "{99999999999999999999}", "", "}{"])
    func `Braces stand for themselves, in literals and in values`(text: String) {
        #expect(Message(stringLiteral: text).text() == text)
        let message: Message = "{\(text)} and {1} is {2}: \(2)"
        #expect(message.text() == "{\(text)} and {1} is {2}: 2")
    }

    @Test func `Joined messages keep their arguments in order`() {
        let first: Message = "a \(1) {x} "
        let second: Message = "b \(2) \(self.secret)"
        let joined = first + second + ""
        #expect(joined.template == "a {1} {{x}} b {2} {3}")
        #expect(joined.text() == "a 1 {x} b 2 样本甲")
        #expect(joined.description == "a 1 {x} b 2 <redacted>")
    }

    @Test func `Another language finds its text by the template, may change the order, and falls back to English`() {
        let catalogue = MessageCatalogue(texts: [
            "card {1} is {2}": "{2}：证件 {1} {{…}}", "it is held": "待人工处理", "too few {1}": "缺 {1} {2} {0}",
        ])
        let held: Message = "it is held"
        let message: Message = "card \("c-1") is \(held)"
        #expect(message.text(in: catalogue) == "待人工处理：证件 c-1 {…}")
        #expect(("not translated \(held)" as Message).text(in: catalogue) == "not translated 待人工处理")
        #expect(message.text() == "card c-1 is it is held")
        #expect(("too few \(1)" as Message).text(in: catalogue) == "缺 1  ", "a place without a value is empty")
    }

    @Test func `A message survives being stored with its personal values`() throws {
        let inner: Message = "read \(self.secret)"
        let message: Message = "card \("c-1") has \(7) {braces}: \(inner)"
        let decoded = try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(message))
        #expect(decoded == message && decoded.text() == "card c-1 has 7 {braces}: read 样本甲")
    }
}

import CardModel
import Foundation
import Glibc
import Testing

/// Texts for people: ids with English beside them, and typed arguments.
@Suite struct MessageTests {
    private let secret = Redacted("样本甲")

    @Test func `English writes each kind of value in its own way`() {
        let values = Message(
            "test.values",
            """
            \(count: 12_345), \(bytes: 1), \(bytes: 33_554_432), \(Duration.seconds(5400)), \(errno: ENOENT), \
            \(codes: ["a", "b"]), \(code: "image"), \(CardSide.front), \(0.5), \(404), \(count: -1234)
            """
        )
        let text = """
            12,345, 1 byte, 33,554,432 bytes, 1 hour 30 minutes, No such file or directory, a, b, image, front, 0.5, 404, \
            -1,234
            """
        #expect(values.text() == text)
    }

    @Test(arguments: [
        (0, "0 seconds"), (1, "1 millisecond"), (1500, "1 second 500 milliseconds"), (86_400_000, "1 day"),
        (90_061_000, "1 day 1 hour"), (-60_000, "-1 minutes"),
    ])
    func `a duration has its largest units`(milliseconds: Int, text: String) {
        #expect(Message("test.wait", "\(Duration.milliseconds(milliseconds))").text() == text)
    }

    @Test(arguments: [(0, "0 cards"), (1, "1 card"), (2, "2 cards"), (1_000_000, "1,000,000 cards")])
    func `the first count chooses the form`(count: Int, text: String) {
        #expect(Message("test.cards", one: "\(count: count) card", other: "\(count: count) cards").text() == text)
    }

    @Test func `Personal values are shown in the text and hidden in every description, however deep`() {
        let inner = Message("test.inner", "the name is \(self.secret)")
        let outer = Message("test.outer", "refused: \(inner); \([inner, inner])")
        #expect(outer.text() == "refused: the name is 样本甲; the name is 样本甲, the name is 样本甲")
        let hidden = "refused: the name is <redacted>; the name is <redacted>, the name is <redacted>"
        #expect(outer.description == hidden && outer.withoutPersonalValues.text() == hidden)
        #expect(PrintedForms(outer).hide(["样本"]))
        let error = CodedError(.fieldInvalid, .input, outer)
        #expect(error.description == "field_invalid: \(outer.description)")
        #expect(PrintedForms(error).hide(["样本"]))
    }

    @Test(arguments: ["{", "}", "{}", "{1}", "{{1}}", "a{b}c", "{99999999999999999999}", "", "}{"])
    func `Braces stand for themselves, in literals and in values`(text: String) {
        #expect(Message("test.text", Message.Text(stringLiteral: text)).text() == text)
        let message = Message("test.braces", "{\(code: text)} and {1} is {2}: \(2)")
        #expect(message.text() == "{\(text)} and {1} is {2}: 2")
    }

    @Test func `Another language finds its text by the id, may change the order, and falls back to English`() {
        let catalogue = MessageCatalogue(
            .english,
            texts: [
                "test.state": "{2}：证件 {1} {{…}}", "test.held": "待人工处理", "test.few": "缺 {1} {2}", "unit.minute": "分钟",
                "list.comma": "、",
            ]
        )
        let held = Message("test.held", "it is held")
        let message = Message("test.state", "card \(code: "c-1") is \(held)")
        #expect(message.text(in: catalogue) == "待人工处理：证件 c-1 {…}")
        #expect(Message("test.none", "not translated \(held)").text(in: catalogue) == "not translated 待人工处理")
        #expect(message.text() == "card c-1 is it is held")
        #expect(Message("test.few", "too few \(1)").text(in: catalogue) == "too few 1", "other arguments")
        let wait = Message("test.wait", "\(Duration.seconds(120)) \([held, held])")
        #expect(wait.text(in: catalogue) == "2分钟 待人工处理、待人工处理")
    }

    @Test func `what stands in a sandbox is read, with arguments of a later version, too`() throws {
        let stored = #"""
            {"id":"test.kinds","text":"{{{1}}} {2} {3} {4} {5} {6} {7} {8} {9}","arguments":[{"text":"c"},{"personal":"样"},\#
            {"count":7},{"bytes":8},{"duration":9000},{"date":{"millisecondsSinceEpoch":0}},{"errno":2},{"list":[{"text":"a"},{"text":"b"}]},\#
            {"message":{"id":"test.inner","text":"so","arguments":[]}}]}
            """#
        let message = try JSONDecoder().decode(Message.self, from: Data(stored.utf8))
        let start = Timestamp(millisecondsSinceEpoch: 0).local
        #expect(message.text() == "{c} 样 7 8 bytes 9 seconds \(start) No such file or directory a, b so")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let again = try JSONSerialization.jsonObject(with: encoder.encode(message)) as? NSDictionary
        let whole = try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? NSDictionary
        #expect(again == whole)
        let later = #"{"id":"test.later","text":"it has {1}","arguments":[{"temperature":{"kelvin":4}}]}"#
        #expect(try JSONDecoder().decode(Message.self, from: Data(later.utf8)).text() == "it has …")
    }
}

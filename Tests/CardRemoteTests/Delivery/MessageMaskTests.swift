import CardModel
import Testing

@testable import CardRemote

/// What is left of a remote's text. All persons, numbers and places are invented.
@Suite struct MessageMaskTests {
    @Test(arguments: [
        "110101199003070011", "11010119900307001X", "110101 19900307 0011", "110101 19900307 001 x",
        "110101-1990-0307-0011", "110101.19900307.001X", "１１０１０１１９９００３０７００１Ｘ", "110101　19900307　0011",
        "110101—19900307–0011", "1 1 0 1 0 1", "110101********0011", "110101\u{200B}19900307\u{2060}0011",
        "138-0000-0000", "%31%31%30%31%30%31", "110101%2019900307%200011", "110101+19900307+001X",
        "%2531%2531%2530101", "١١٠١٠١", "①①⓪①⓪①",
    ])
    func `A number of six digits and more is masked however it is broken up, an X at its end included`(text: String) {
        #expect(MessageMask().presentable("证件 \(text) 无效") == "证件 … 无效")
    }

    @Test(arguments: ["代码 12345", "12-345", "１２３４５", "12345 x", "1234 甲 56"])
    func `A number of five digits stays`(text: String) {
        #expect(MessageMask().presentable(text) == text)
    }

    @Test(arguments: [
        "Canary-1", "canary-1", "CANARY_1", "ｃａｎａｒｙ－１", "c a n a r y 1", "can\u{AD}ary-1", "%43anary%2D1",
        "%2543anary-1",
    ])
    func `A value that was sent is masked in every spelling`(text: String) {
        #expect(MessageMask(sent: ["Canary-1"]).presentable("user \(text) is unknown") == "user … is unknown")
    }

    @Test(arguments: [
        ("赵甲", "客户赵甲已存在", "客户…已存在"), ("赵甲", "赵　甲", "…"), ("欧阳子虚", "欧阳子虚的证件", "…的证件"),
        ("赵甲", "name=%E8%B5%B5%E7%94%B2&x", "…"), ("古丽·金丝雀汗", "古丽•金丝雀汗", "…"), ("赵甲", "赵某", "赵某"),
        ("7", "7 of 17", "7 of 17"), ("", "a b", "a b"), ("-", "a - b", "a - b"),
    ])
    func `a confidential name is masked in words too, a single letter not`(name: String, text: String, shown: String) {
        #expect(MessageMask(confidential: [name]).presentable(text) == shown)
    }

    @Test func `Of a confidential value of six letters and more, every piece of four is masked`() {
        let mask = MessageMask(confidential: ["某省金丝雀市样本路7号", "99010119900307002X", "甲乙丙丁戊"])
        #expect(mask.presentable("地址 金丝雀市 不符") == "地址 … 不符")
        #expect(mask.presentable("地址 金丝雀 不符") == "地址 金丝雀 不符")
        #expect(mask.presentable("尾号 002x") == "尾号 …")
        #expect(mask.presentable("甲乙丙丁 甲乙丙丁戊") == "甲乙丙丁 …")
        #expect(MessageMask(sent: ["某省金丝雀市样本路7号"]).presentable("金丝雀市") == "金丝雀市")
    }

    @Test(arguments: Array(185...205) + [2040, 8170, 8180])
    func `A value is masked wherever it stands, also across the cut`(offset: Int) {
        // Blanks in front are trimmed, so even what stands far behind may come to be shown.
        for filler in [" ", "错"] {
            let text = String(repeating: filler, count: offset) + "canary-token" + String(repeating: "误", count: 20)
            let shown = MessageMask(sent: ["canary-token"]).presentable(text)
            #expect(!shown.contains("c"))
            #expect(shown.count <= Limits.foreignText.shown)
        }
    }

    @Test func `A text of a megabyte is read in part`() {
        let mask = MessageMask(sent: ["canary"], confidential: ["某省金丝雀市样本路7号"])
        #expect(mask.presentable(String(repeating: "canary", count: 170_000)).prefix(1) == "…")
    }
}

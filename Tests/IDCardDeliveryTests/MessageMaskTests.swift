import Testing

@testable import IDCardDelivery

/// What is left of a foreign text. All persons, numbers and places are invented.
struct MessageMaskTests {
    @Test(
        "A number of six digits and more is masked however it is broken up, an X at its end included",
        arguments: [
            "110101199003070011", "11010119900307001X", "110101 19900307 0011", "110101 19900307 001 x",
            "110101-1990-0307-0011", "110101.19900307.001X", "１１０１０１１９９００３０７００１Ｘ", "110101　19900307　0011",
            "110101—19900307–0011", "1 1 0 1 0 1", "110101********0011", "110101\u{200B}19900307\u{2060}0011",
            "(+86) 138-0000-0000", "%31%31%30%31%30%31", "110101%2019900307%200011", "110101+19900307+001X",
            "%2531%2531%2530101", "١١٠١٠١", "①①⓪①⓪①",
        ]
    )
    func number(text: String) {
        let shown = MessageMask().presentable("证件 \(text) 无效")
        #expect(shown == "证件 … 无效" || shown == "证件 (+… 无效")
    }

    @Test("A number of five digits stays", arguments: ["代码 12345", "12-345", "１２３４５", "12345 x", "1234 甲 56"])
    func shortNumber(text: String) {
        #expect(MessageMask().presentable(text) == text)
    }

    @Test(
        "A value sent is masked in every spelling",
        arguments: [
            "Canary-1", "canary-1", "CANARY_1", "ｃａｎａｒｙ－１", "c a n a r y 1", "can\u{AD}ary-1", "%43anary%2D1",
            "%63%61%6e%61%72%79%2d%31", "%2543anary-1", "xCanary-1y",
        ]
    )
    func spelling(text: String) {
        let shown = MessageMask(sent: ["Canary-1"]).presentable("user \(text) is unknown")
        #expect(shown == (text.hasPrefix("x") ? "user x…y is unknown" : "user … is unknown"))
    }

    @Test(
        "A value of one or two letters is masked as a whole word only",
        arguments: [
            ("7", "user 7 of 17, 70 and x7", "user … of 17, 70 and x7"), ("ab", "(AB) abc cab a", "(…) abc cab a"),
            ("a1", "用户A1已存在", "用户…已存在"), ("7", "%37", "…"), ("7", "x%207%20y", "x%20…%20y"),
            ("甲", "姓 甲, 甲乙", "姓 …, 甲乙"), ("abc", "xabcx", "x…x"), ("", "a b", "a b"), ("-", "a - b", "a - b"),
        ]
    )
    func shortValue(value: String, text: String, shown: String) {
        #expect(MessageMask(sent: [value]).presentable(text) == shown)
    }

    @Test(
        "A confidential name is masked whole, inside Chinese words and percent-encoded too",
        arguments: [
            ("赵甲", "客户赵甲已存在", "客户…已存在"), ("赵甲", "赵　甲", "…"), ("欧阳子虚", "欧阳子虚的证件", "…的证件"),
            ("赵甲", "name=%E8%B5%B5%E7%94%B2&x", "name=…&x"), ("赵甲", "%25E8%25B5%25B5%E7%94%B2", "…"),
            ("古丽·金丝雀汗", "古丽•金丝雀汗", "…"), ("赵甲", "赵某", "赵某"),
        ]
    )
    func name(name: String, text: String, shown: String) {
        #expect(MessageMask(confidential: [name]).presentable(text) == shown)
    }

    @Test("Of a confidential value of six characters and more, every piece of four is masked")
    func pieces() {
        let mask = MessageMask(confidential: ["某省金丝雀市样本路7号", "99010119900307002X", "甲乙丙丁戊"])
        #expect(mask.presentable("地址 金丝雀市 不符") == "地址 … 不符")
        #expect(mask.presentable("地址 金丝雀 不符") == "地址 金丝雀 不符")
        #expect(mask.presentable("在样本路７号附近") == "在…附近")
        #expect(mask.presentable("尾号 002x") == "尾号 …")
        #expect(mask.presentable("生日 0307") == "生日 …")
        #expect(mask.presentable("%E9%87%91%E4%B8%9D%E9%9B%80%E5%B8%82") == "…")
        // Five characters are quoted whole or not at all.
        #expect(mask.presentable("甲乙丙丁 甲乙丙丁戊") == "甲乙丙丁 …")
        #expect(MessageMask(sent: ["某省金丝雀市样本路7号"]).presentable("金丝雀市") == "金丝雀市")
    }

    @Test("Percent-encoded bytes that are no UTF-8 are masked, a percent sign is not")
    func opaque() {
        let mask = MessageMask()
        #expect(mask.presentable("姓名 %D5%D4%BC%D7 无效") == "姓名 … 无效")
        #expect(mask.presentable("100% of 5%") == "100% of 5%")
    }

    @Test(
        "A value is masked wherever it stands, also across the cut",
        arguments: Array(185...205) + [2040, 2047, 2048]
    )
    func cut(offset: Int) {
        // Blanks in front are trimmed, so even what stands far behind may come to be shown.
        for filler in [" ", "错"] {
            let text = String(repeating: filler, count: offset) + "canary-token" + String(repeating: "误", count: 20)
            let shown = MessageMask(sent: ["canary-token"]).presentable(text)
            #expect(!shown.contains("c"))
            #expect(shown.count <= MessageMask.maximumLength)
        }
    }

    @Test("A text of a megabyte is read in part")
    func longText() {
        let mask = MessageMask(sent: ["canary"], confidential: ["某省金丝雀市样本路7号"])
        #expect(mask.presentable(String(repeating: "%25", count: 350_000)).count <= MessageMask.maximumLength)
        #expect(mask.presentable(String(repeating: "canary", count: 170_000)) == "…")
    }

    @Test("Of ASCII, those scalars separate whose category says so")
    func separators() {
        for value in UInt8.min..<128 {
            let scalar = Unicode.Scalar(value)
            #expect(ForeignText.isASCIISeparator(scalar) == ForeignText.isSeparator(scalar), "\(value)")
        }
    }
}

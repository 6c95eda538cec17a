/// Parses tesseract's text as fields: drops characters that cannot belong to a field, and never adds any.
enum FieldText {
    /// A name: Chinese characters and the middle dot of minority names.
    static func name(_ text: String) -> String? {
        let characters = text.compactMap { character -> Character? in
            if "·•・．.".contains(character) { return "·" }
            return self.isChinese(character) ? character : nil
        }
        var name = characters[...]
        while name.first == "·" { name.removeFirst() }
        while name.last == "·" { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }

    /// The line of gender and ethnicity: 男 or 女, and what follows the label 民族 (or, where the label was not read,
    /// the gender), if it is one of the 56 groups.
    static func person(_ text: String) -> Person? {
        let chinese = text.filter(self.isChinese)
        guard let gender = chinese.firstIndex(where: { $0 == "男" || $0 == "女" }) else { return nil }
        let start = chinese.lastIndex(of: "族") ?? gender
        let ethnicity = String(chinese[chinese.index(after: start)...])
        guard EthnicGroup.names.contains(ethnicity) else { return nil }
        return Person(gender: String(chinese[gender]), ethnicity: ethnicity)
    }

    /// Three numbers: year, month, day.
    static func birth(_ text: String) -> CardText.BirthDate? {
        let numbers = text.filter { !$0.isWhitespace }.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
        guard numbers.count == 3, (1800...2200).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else { return nil }
        return CardText.BirthDate(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// An address or an issuer: Chinese characters, letters, digits and the signs that occur in house numbers.
    static func address(_ text: String) -> String? {
        let address = text.filter { character in
            self.isChinese(character) || (character.isASCII && (character.isLetter || character.isNumber))
                || "-#()（）、".contains(character)
        }
        return address.isEmpty ? nil : address
    }

    /// A period of validity: two dates, or one date and 长期.
    static func period(_ text: String) -> String? {
        let compact = text.filter { !$0.isWhitespace }
        let dates = compact.matches(of: /(\d{4})[.,](\d{2})[.,](\d{2})/).map { match in
            "\(match.output.1).\(match.output.2).\(match.output.3)"
        }
        guard let first = dates.first else { return nil }
        if dates.count == 2 { return "\(first)-\(dates[1])" }
        return compact.contains("长") || compact.contains("期") ? "\(first)-长期" : nil
    }

    /// Finds words that are printed on one side only.
    static func sideNamed(in text: String) -> NamedSide? {
        let compact = text.filter { !$0.isWhitespace }
        func count(_ words: [String]) -> Int { words.count { compact.contains($0) } }
        let front = count(["姓名", "性别", "民族", "出生", "住址", "公民", "身份号码"])
        let back = count(["签发", "机关", "有效", "期限", "公安局", "共和国", "居民身份证"])
        if front >= 2, front > back { return .front }
        if back >= 2, back > front { return .back }
        return nil
    }

    private static func isChinese(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { scalar in
            (0x3400...0x9FFF).contains(scalar.value) || (0x20000...0x3134F).contains(scalar.value)
        }
    }
}

/// The second line of a front.
struct Person: Sendable, Equatable {
    let gender: String
    let ethnicity: String
}

/// The side that the words on a card indicate.
enum NamedSide: Sendable {
    case front, back
}

/// The ethnic groups a card can name (GB 3304-91), printed without 族.
enum EthnicGroup {
    static let names: Set<String> = [
        "汉", "蒙古", "回", "藏", "维吾尔", "苗", "彝", "壮", "布依", "朝鲜", "满", "侗", "瑶", "白", "土家", "哈尼", "哈萨克",
        "傣", "黎", "傈僳", "佤", "畲", "高山", "拉祜", "水", "东乡", "纳西", "景颇", "柯尔克孜", "土", "达斡尔", "仫佬", "羌",
        "布朗", "撒拉", "毛南", "仡佬", "锡伯", "阿昌", "普米", "塔吉克", "怒", "乌孜别克", "俄罗斯", "鄂温克", "德昂", "保安",
        "裕固", "京", "塔塔尔", "独龙", "鄂伦春", "赫哲", "门巴", "珞巴", "基诺",
    ]
}

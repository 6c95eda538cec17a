import Testing

@testable import CardModel

@Suite struct VerdictFrontTests {
    @Test(arguments: [
        ("11010519491231002X" as String?, [] as [String]),
        ("１１０１０５１９４９１２３１００２ｘ", []),
        // Born today, tomorrow, and far in the future.
        ("110101202611210019", []),
        ("110101202611220014", ["id_number_birth_date"]),
        ("110101209901010017", ["id_number_birth_date"]),
        (" ", ["id_number_missing"]),
        ("", ["id_number_missing"]),
        (nil, ["id_number_missing"]),
    ])
    func `A number is judged as it is folded, and by the day`(text: String?, codes: [String]) {
        let reading = CardReading.front {
            $0.number = text
            $0.birthDate = nil
            $0.gender = nil
        }
        #expect(VerdictRules().codes(reading) == codes)
    }

    @Test(arguments: [
        ("1990-03-07" as String?, [] as [String]), ("1990-3-7", []), ("19900307", []), ("1990年3月7日", []), (nil, []),
        ("", []), (" ", []), ("1990-03-08", ["birth_date_mismatch"]), ("1990-07-03", ["birth_date_mismatch"]),
        ("1990-02-30", ["birth_date_mismatch"]), ("1990", ["birth_date_mismatch"]),
        ("blurred", ["birth_date_mismatch"]), ("2月30日", ["birth_date_mismatch"]),
        ("1990年2月30日", ["birth_date_mismatch"]), ("3月7日", ["birth_date_mismatch"]),
        ("1990-3-?", ["birth_date_mismatch"]), ("?", ["birth_date_mismatch"]),
    ])
    func `The printed birth date must be the number's, in any spelling, or not read`(text: String?, codes: [String]) {
        #expect(VerdictRules().codes(.front { $0.birthDate = text }) == codes)
    }

    @Test(arguments: [
        ("男" as String?, "110101199003070011", [] as [String]), ("M", "110101199003070011", []),
        ("女", "11010119900307002X", []), ("female", "11010119900307002X", []), (nil, "110101199003070011", []),
        ("", "110101199003070011", []), ("女", "110101199003070011", ["gender_mismatch"]),
        ("男", "11010119900307002X", ["gender_mismatch"]), ("勇", "110101199003070011", ["gender_mismatch"]),
        ("1", "110101199003070011", ["gender_mismatch"]),
    ])
    func `The printed gender must be the number's, or not read`(text: String?, number: String, codes: [String]) {
        let reading = CardReading.front {
            $0.gender = text
            $0.number = number
        }
        #expect(VerdictRules().codes(reading) == codes)
    }

    @Test func `What is compared with the number is silent when the number is none`() {
        let reading = CardReading.front {
            $0.number = "110105194912310021"
            $0.gender = "女"
            $0.birthDate = "1949-12-30"
        }
        let rules = VerdictRules(
            severities: [.numberChecksum: .warn, .genderMismatch: .warn, .birthDateMismatch: .warn],
            minimumAge: 200
        )
        #expect(rules.codes(reading) == ["id_number_checksum"])
    }

    @Test(arguments: [
        ("样本甲" as String?, [] as [String]), ("欧", []), ("样本·" + String(repeating: "长", count: 29), []),
        (String(repeating: "长", count: 32), []), (String(repeating: "长", count: 33), ["name_missing"]),
        (nil, ["name_missing"]), ("", ["name_missing"]), (" \u{3000}\u{200B}", ["name_missing"]),
    ])
    func `A name has 1 to 32 characters`(text: String?, codes: [String]) {
        #expect(VerdictRules().codes(.front { $0.name = text }) == codes)
    }

    @Test(arguments: [
        ("汉" as String?, [] as [String]),
        ("汉族", []), (" 维吾尔 ", []), ("基诺", []), ("土家族", []), ("穿青人", []), ("革家人", []), ("其他", []),
        ("外国血统", []), (nil, []), ("", []), ("冯", ["ethnicity_unknown"]), ("族", ["ethnicity_unknown"]),
        ("汉族族", ["ethnicity_unknown"]),
    ])
    func `An ethnic group that GB 3304-91 does not know is reported and passes`(text: String?, codes: [String]) {
        let judgement = VerdictRules().judge(.front { $0.ethnicity = text }, today: .today)
        #expect(judgement.verdict == .accepted)
        #expect(judgement.warnings.map(\.reason.rawValue) == codes)
    }

    @Test func `There are 56 ethnic groups, each known with 族 and without`() {
        let names = """
            汉 蒙古 回 藏 维吾尔 苗 彝 壮 布依 朝鲜 满 侗 瑶 白 土家 哈尼 哈萨克 傣 黎 傈僳 佤 畲 高山 拉祜 水 东乡 纳西 景颇 柯尔克孜 土 \
            达斡尔 仫佬 羌 布朗 撒拉 毛南 仡佬 锡伯 阿昌 普米 塔吉克 怒 乌孜别克 俄罗斯 鄂温克 德昂 保安 裕固 京 塔塔尔 独龙 鄂伦春 赫哲 \
            门巴 珞巴 基诺
            """
            .split(separator: " ")
        #expect(Set(names).count == 56)
        for name in names {
            #expect(VerdictRules().codes(.front { $0.ethnicity = String(name) }) == [])
            #expect(VerdictRules().codes(.front { $0.ethnicity = name + "族" }) == [])
        }
    }

    @Test(arguments: [
        ("110101200811210014", 18, []), ("11010120081122001X", 18, ["under_age"]), ("11010120081122001X", 17, []),
        ("110101202611210019", 0, []), ("110101202611210019", 1, ["under_age"]),
    ])
    func `A holder has the least age on the day judged; 0 does not ask`(number: String, age: Int, codes: [String]) {
        let reading = CardReading.front {
            $0.number = number
            $0.birthDate = nil
        }
        #expect(VerdictRules(minimumAge: age).codes(reading) == codes)
    }
}

import Foundation

/// The gender printed on a card.
package enum Gender: String, Sendable, Codable {
    /// 男
    case male = "male"
    /// 女
    case female = "female"

    /// Reads the text on a card or in a reply: 男 and 女, also M, F and the English words; `nil` for anything else.
    package init?(printed text: String) {
        switch PrintedText.folded(text).lowercased() {
        case "男", "男性", "m", "male": self = .male
        case "女", "女性", "f", "female": self = .female
        default: return nil
        }
    }
}

/// The 56 ethnic groups of GB 3304-91, as cards print them, in the order of their codes.
enum EthnicGroup {
    static let names: [String] = [
        "汉", "蒙古", "回", "藏", "维吾尔", "苗", "彝", "壮", "布依", "朝鲜", "满", "侗", "瑶", "白", "土家", "哈尼", "哈萨克", "傣",
        "黎", "傈僳", "佤", "畲", "高山", "拉祜", "水", "东乡", "纳西", "景颇", "柯尔克孜", "土", "达斡尔", "仫佬", "羌", "布朗",
        "撒拉", "毛南", "仡佬", "锡伯", "阿昌", "普米", "塔吉克", "怒", "乌孜别克", "俄罗斯", "鄂温克", "德昂", "保安", "裕固", "京",
        "塔塔尔", "独龙", "鄂伦春", "赫哲", "门巴", "珞巴", "基诺",
    ]

    /// Values that cards print although the standard does not list them.
    static let tolerated: [String] = ["穿青人", "革家人", "其他", "外国血统"]

    private static let known = Set(names + tolerated)

    /// Whether a text names a group, with 族 or without.
    static func isKnown(_ text: String) -> Bool {
        let folded = PrintedText.folded(text)
        return self.known.contains(folded) || (folded.hasSuffix("族") && self.known.contains(String(folded.dropLast())))
    }
}

/// Text as a reader or a person wrote it, folded for comparison.
enum PrintedText {
    /// Folds full-width and other compatibility forms (NFKC) and removes white space and invisible characters.
    static func folded(_ raw: String) -> String {
        let compatible = raw.precomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        }
        return String(String.UnicodeScalarView(compatible))
    }

    /// Whether a text is missing, or has only white space and invisible characters.
    static func isBlank(_ raw: Redacted<String>?) -> Bool {
        raw.map { self.folded($0.reveal()).isEmpty } ?? true
    }
}

/// The 56 ethnic groups of GB 3304-91, as cards print them, in the order of their codes.
enum EthnicGroup {
    static let names: [String] = [
        "汉", "蒙古", "回", "藏", "维吾尔", "苗", "彝", "壮", "布依", "朝鲜", "满", "侗", "瑶", "白", "土家", "哈尼", "哈萨克", "傣",
        "黎", "傈僳", "佤", "畲", "高山", "拉祜", "水", "东乡", "纳西", "景颇", "柯尔克孜", "土", "达斡尔", "仫佬", "羌", "布朗",
        "撒拉", "毛南", "仡佬", "锡伯", "阿昌", "普米", "塔吉克", "怒", "乌孜别克", "俄罗斯", "鄂温克", "德昂", "保安", "裕固", "京",
        "塔塔尔", "独龙", "鄂伦春", "赫哲", "门巴", "珞巴", "基诺",
    ]

    /// What is printed in the field although the standard does not know it.
    static let tolerated: [String] = ["穿青人", "革家人", "其他", "外国血统"]

    private static let known = Set(names + tolerated)

    /// Whether a text names a group, with 族 or without.
    static func isKnown(_ text: String) -> Bool {
        let folded = PrintedText.folded(text)
        return self.known.contains(folded) || (folded.hasSuffix("族") && self.known.contains(String(folded.dropLast())))
    }
}

/// The gender printed on a card.
package enum Gender: String, Sendable, Codable {
    /// 男
    case male
    /// 女
    case female

    /// Reads what stands on a card or in a reply: 男 and 女, also M, F and the English words; `nil` for anything else.
    package init?(printed text: String) {
        switch PrintedText.folded(text).lowercased() {
        case "男", "男性", "m", "male": self = .male
        case "女", "女性", "f", "female": self = .female
        default: return nil
        }
    }
}

/// The gender printed on a card.
package enum Gender: String, Sendable, Codable {
    /// 男
    case male
    /// 女
    case female
}

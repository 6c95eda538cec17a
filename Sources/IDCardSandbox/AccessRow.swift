import Foundation
import GRDB

/// A line of the access log as it is stored.
struct AccessRow {
    var number: Int64
    var at: Int64
    var actor: String
    var action: String
    var purpose: String
    var card: String?

    /// The line as its code sees it: every value with its length before it, so that no two lines share an encoding.
    var encoded: Data {
        var data = Data()
        for number in [self.number, self.at] {
            withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
        }
        for text in [self.actor, self.action, self.purpose] { Self.append(text, to: &data) }
        data.append(self.card == nil ? 0 : 1)
        if let card = self.card { Self.append(card, to: &data) }
        return data
    }

    private static func append(_ text: String, to data: inout Data) {
        withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { data.append(contentsOf: $0) }
        data.append(contentsOf: text.utf8)
    }
}

extension AccessRow {
    init(_ row: Row) {
        self.init(
            number: row["number"],
            at: row["at"],
            actor: row["actor"],
            action: row["action"],
            purpose: row["purpose"],
            card: row["card"]
        )
    }
}

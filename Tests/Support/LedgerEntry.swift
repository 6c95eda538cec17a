/// One document that the built-in backend accepted, one line of `ledger.jsonl`.
package struct LedgerEntry: Decodable, Hashable, Sendable {
    package let sequence: Int
    package let idempotencyKey: String
    package let position: Int
    package let businessNo: String
    package let doctype: String
    package let userNo: String
    package let imageSha256: String
    package let contentSha256: String
    package let file: String
    package let outOfOrder: Bool
    package let following: Int?
    package let retcode: String
}

/// One upload that it refused, one line of `refusals.jsonl`.
package struct RefusalEntry: Decodable, Sendable {
    package let idempotencyKey: String
    package let retcode: String
}

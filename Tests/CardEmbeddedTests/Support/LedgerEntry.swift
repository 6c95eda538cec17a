/// One accepted document, one line of `ledger.jsonl`.
struct LedgerEntry: Decodable {
    let sequence: Int
    let idempotencyKey: String
    let position: Int
    let businessNo: String
    let doctype: String
    let userNo: String
    let imageSha256: String
    let contentSha256: String
    let file: String
    let outOfOrder: Bool
    let following: Int?
}

/// One refused upload, one line of `refusals.jsonl`.
struct RefusalEntry: Decodable {
    let retcode: String
}

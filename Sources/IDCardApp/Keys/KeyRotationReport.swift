/// What a rotation has done.
struct KeyRotationReport: Encodable {
    /// The key under which everything is wrapped now.
    var keyID: String
    /// Whether a key was made here.
    var isNew: Bool
    /// Data keys that were wrapped anew here.
    var rewrapped = 0
    /// Data keys of the sandbox.
    var total = 0
    /// Data keys that are damaged and stayed under an old key.
    var damaged = 0
    /// The files that hold the old keys now; none if the keys do not come from a file.
    var retired: [String] = []
    /// What is left to do by hand.
    var remark: String?

    enum CodingKeys: String, CodingKey {
        case keyID = "key_id"
        case isNew = "new_key"
        case rewrapped
        case total
        case damaged
        case retired
        case remark
    }

    /// For people.
    var lines: [String] {
        var lines = [
            "\(self.isNew ? "new key" : "key") \(self.keyID); rewrapped \(self.rewrapped) of \(self.total) keys"
        ]
        if self.damaged > 0 {
            lines.append("\(self.damaged) keys are damaged: their cards cannot be read; run: idcard-pipeline fsck")
        }
        lines += self.retired.map { "moved the old key to \($0) (mode 0600): keep it as long as backups from before" }
        return lines + (self.remark.map { [$0] } ?? [])
    }
}

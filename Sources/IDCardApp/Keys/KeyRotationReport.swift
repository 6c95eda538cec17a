/// What a step of a rotation has done.
struct KeyRotationReport: Encodable {
    /// How far the rotation is.
    enum Step: String, Encodable {
        /// The new key is there and announced; the old one is still in use.
        case announced
        /// The new key is in use; some data keys, or the key file, have still to be changed.
        case begun
        /// Everything is under the new key.
        case finished

        /// What is to be done next.
        var remark: String? {
            switch self {
            case .announced:
                "the old key is still in use; once every process has the new one (it reads the key file by itself; one "
                    + "with a copy of the key needs the new copy and a restart), run: idcard-pipeline keys rotate --finish"
            case .begun: "the last change of keys is not finished; run: idcard-pipeline keys rotate --finish"
            case .finished: nil
            }
        }
    }

    /// The new key.
    var keyID: String
    /// Whether a key was made here.
    var isNew: Bool
    var step: Step
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
        case step
        case rewrapped
        case total
        case damaged
        case retired
        case remark
    }

    /// For people.
    var lines: [String] {
        let key = "\(self.isNew ? "new key" : "key") \(self.keyID)"
        let state =
            switch self.step {
            case .announced: "is announced"
            case .begun: "is in use"
            case .finished: "is in use; rewrapped \(self.rewrapped) of \(self.total) keys"
            }
        var lines = ["\(key) \(state)"]
        if self.damaged > 0 {
            lines.append("\(self.damaged) keys are damaged: their cards cannot be read; run: idcard-pipeline fsck")
        }
        lines += self.retired.map { "moved the old key to \($0) (mode 0600): keep it as long as backups from before" }
        return lines + (self.remark.map { [$0] } ?? [])
    }
}

/// What was skipped because of its name. It is said by rule (`#recycle`, `*.bak`), with how many files and folders each rule
/// met: the names themselves may tell of a person.
enum PassedOver {
    /// The rules with their counts, for a message; empty if nothing was skipped.
    static func rules(_ counts: [String: Int]) -> [String] {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
    }
}

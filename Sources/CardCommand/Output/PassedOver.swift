import CardModel

/// What was passed over because of its name. It is said by rule (`#recycle`, `*.bak`), with how many files and folders each
/// rule met: the names themselves may tell of a person.
enum PassedOver {
    /// The note for standard error; `nil` if nothing was passed over.
    ///
    /// - Parameters:
    ///   - counts: the rules, and how often each was met.
    ///   - place: where that was, such as `source inbox`; `nil` where only one list can be meant.
    static func note(_ counts: [String: Int], in place: String? = nil) -> String? {
        guard !counts.isEmpty else { return nil }
        let rules = counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        let skipped: Message = place.map { .outputSkippedIn($0, rules) } ?? .outputSkipped(rules)
        return Message.consoleNote(skipped).text().oneLine
    }
}

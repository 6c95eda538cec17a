/// One line of a journal.
protocol JournalEntry: Codable {
    /// Whether the lines that belong together end with this one. Lines that were appended together count only when the
    /// last of them is there.
    var isLastOfGroup: Bool { get }
}

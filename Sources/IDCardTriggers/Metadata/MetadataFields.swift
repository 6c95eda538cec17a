import IDCardCore

/// What one source (a manifest row, a sidecar, the options, a folder's name) says about a photo.
struct MetadataFields: Hashable {
    /// The business number as written.
    var businessNumber: Redacted<String>?
    /// The user account.
    var userNumber: Redacted<String>?
    /// The number the holder registered with.
    var expectedIDNumber: Redacted<String>?
    /// The name the holder registered with.
    var expectedName: Redacted<String>?
    /// The side the sender meant.
    var side: CardSide?
    /// The priority.
    var priority: Int?

    /// Fills what is missing from a source that comes later in the order of precedence.
    mutating func fill(from other: MetadataFields) {
        self.businessNumber = self.businessNumber ?? other.businessNumber
        self.userNumber = self.userNumber ?? other.userNumber
        self.expectedIDNumber = self.expectedIDNumber ?? other.expectedIDNumber
        self.expectedName = self.expectedName ?? other.expectedName
        self.side = self.side ?? other.side
        self.priority = self.priority ?? other.priority
    }
}

extension MetadataFields {
    /// What is wrong with a text, in words without the text itself.
    struct Problem: Error, Hashable {
        /// Reads on after "the sidecar" or "row 7 of the manifest".
        var words: String
    }

    /// The longest text of a field, in characters; a business number has its own limit and its own refusal.
    static let maximumTextLength = 256
    /// The priorities that can be given.
    static let priorities = -1_000_000...1_000_000

    /// Reads the texts of a row or sidecar; an empty or blank text is a missing one.
    init(texts: [MetadataColumn: String]) throws(Problem) {
        self.businessNumber = Self.present(texts[.businessNumber]).map { Redacted($0) }
        self.userNumber = try Self.text(.userNumber, of: texts)
        self.expectedIDNumber = try Self.text(.expectedIDNumber, of: texts)
        self.expectedName = try Self.text(.expectedName, of: texts)
        if let side = Self.present(texts[.side]) {
            guard let known = CardSide(rawValue: side.lowercased()) else {
                throw Problem(words: "has a side that is neither front nor back")
            }
            self.side = known
        }
        if let priority = Self.present(texts[.priority]) {
            guard let number = Int(priority), Self.priorities.contains(number) else {
                let range = "\(Self.priorities.lowerBound) to \(Self.priorities.upperBound)"
                throw Problem(words: "has a priority that is not a whole number from \(range)")
            }
            self.priority = number
        }
    }

    private static func text(
        _ column: MetadataColumn,
        of texts: [MetadataColumn: String]
    ) throws(Problem) -> Redacted<String>? {
        guard let text = self.present(texts[column]) else { return nil }
        guard !SpreadsheetText.isDamage(text) else {
            throw Problem(words: "has a value in \(column.rawValue) that \(SpreadsheetText.words)")
        }
        // Of printable ASCII each byte is a character and none a control; nearly all texts are, with some in every row.
        if text.utf8.count <= self.maximumTextLength, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) {
            return Redacted(text)
        }
        guard text.count <= self.maximumTextLength else {
            throw Problem(words: "has more than \(self.maximumTextLength) characters in \(column.rawValue)")
        }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Problem(words: "has a control character in \(column.rawValue)")
        }
        return Redacted(text)
    }

    /// Returns a text without white space around it, or `nil` if nothing is left.
    private static func present(_ text: String?) -> String? {
        guard let trimmed = text?.trimmed, !trimmed.isEmpty else { return nil }
        return trimmed
    }
}

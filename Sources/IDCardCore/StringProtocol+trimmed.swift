extension StringProtocol {
    /// The text without white space at its ends.
    package var trimmed: String {
        // Nearly no text has any, and taking one apart character by character takes long.
        guard let first = self.first, let last = self.last, first.isWhitespace || last.isWhitespace else {
            return String(self)
        }
        guard let start = self.firstIndex(where: { !$0.isWhitespace }),
            let end = self.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }
}

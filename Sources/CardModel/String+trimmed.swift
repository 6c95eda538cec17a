extension String {
    /// Its letters and digits alone, in small letters: what separates them hides no name and no number.
    package var lettersAndDigits: String { self.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The text without white space at its ends.
    package var trimmed: String {
        // Nearly no text has any, and taking one apart character by character takes long. A character that begins or ends with
        // one of these is no white space.
        if let first = self.utf8.first, let last = self.utf8.last, 0x21...0x7E ~= first, 0x21...0x7E ~= last {
            return self
        }
        guard let start = self.firstIndex(where: { !$0.isWhitespace }),
            let end = self.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }
}

extension Substring {
    /// The text without white space at its ends.
    package var trimmed: String { String(self).trimmed }
}

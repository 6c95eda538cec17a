extension String {
    /// Its letters and digits alone, in lower case, so that separators cannot hide a name or a number.
    package var lettersAndDigits: String { self.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The text without white space at its ends.
    package var trimmed: String {
        // A fast path: few texts have white space at their ends, and splitting a text into characters is slow. A character
        // that begins or ends with a byte from 21 to 7E is not white space.
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

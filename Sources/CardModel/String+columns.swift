extension String {
    /// Returns the text padded with spaces on the right to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.columns))
    }

    /// The width in columns of a terminal: Chinese characters and full-width signs have two (wcwidth(3) depends on the
    /// locale of the process).
    package var columns: Int {
        self.reduce(0) { columns, character in
            let isWide = character.unicodeScalars.first.map { scalar in
                switch scalar.value {
                case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                    true
                default: false
                }
            }
            return columns + (isWide == true ? 2 : 1)
        }
    }
}

extension String {
    /// The text without terminal control characters, which a file name may hold.
    package var plain: String { self.replacing { $0 != "\n" && $0 != "\t" && $0.commandsTerminal } }

    /// The text as one line: a name in it cannot begin another line.
    package var oneLine: String { self.replacing(\.commandsTerminal) }

    private func replacing(_ isCommand: (Unicode.Scalar) -> Bool) -> String {
        // Most lines are ASCII, for which a check of each byte is far cheaper.
        if self.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        guard self.unicodeScalars.contains(where: isCommand) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { isCommand($0) ? "?" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it moves the cursor, ends the line, or changes the direction of the text that follows.
    fileprivate var commandsTerminal: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: self.properties.isBidiControl
        }
    }
}

import Subprocess

/// What a running command says on standard error, line by line.
final class ErrorLines {
    private(set) var seen: [String] = []
    private var lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator

    init(_ lines: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator) {
        self.lines = lines
    }

    /// The next line; `nil` when the command has ended.
    func next() async throws -> String? {
        let line = try await self.lines.next()
        if let line { self.seen.append(line) }
        return line
    }

    /// Waits for a line with some words; `nil` if the command ended before.
    func line(containing words: String) async throws -> String? {
        while let line = try await self.next() {
            if line.contains(words) { return line }
        }
        return nil
    }
}

import CardModel

/// Lines of one reason and message: a person reads the first ones, and at the end how many there are.
struct RunFolds: Sendable {
    private static let mostShown = 3

    private var shown: [String: Int] = [:]

    /// Whether a line is one of the first of its kind, and therefore printed.
    mutating func shows(_ line: RunLine) -> Bool {
        let count = self.shown[line.kind.text, default: 0]
        self.shown[line.kind.text] = count + 1
        return count < Self.mostShown
    }

    /// Says for each kind that has more lines than are printed how many, the most frequent kinds first.
    static func summaries(of lines: [RunLine]) -> [Message] {
        let kinds = Dictionary(grouping: lines.filter { $0.notice != .nothing }) { $0.kind.text }
        let many = kinds.filter { $0.value.count > Self.mostShown }
        return many.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.compactMap { _, lines in
            guard var kind = lines.first?.kind else { return nil }
            kind.source = Message.runPhotos(lines.count).text()
            let names = lines.prefix(Self.mostShown).map(\.name).joined(separator: ", ")
            return .runFolded(kind.text, names, more: lines.count - Self.mostShown)
        }
    }
}

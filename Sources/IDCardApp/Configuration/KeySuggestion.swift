/// Finds the name a person meant.
package enum KeySuggestion {
    /// The known name closest to a mistyped one; `nil` if none is near.
    ///
    /// Capitals, `_`, `-` and `.` do not count, so `imaging.maxEdge` finds `imaging.max_edge`; otherwise a third of the
    /// letters may differ.
    package static func closest(to name: String, among known: [String]) -> String? {
        let wanted = Self.normalised(name)
        // A name longer than any key is nothing mistyped, and the distance costs the product of the lengths.
        guard wanted.count <= 64 else { return nil }
        let ranked = known.map { (name: $0, distance: Self.distance(wanted, Self.normalised($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, wanted.count / 3) ? best.name : nil
    }

    private static func normalised(_ name: String) -> [Character] {
        Array(name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." })
    }

    /// Levenshtein's distance: the least number of letters inserted, deleted or replaced.
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[second.count]
    }
}

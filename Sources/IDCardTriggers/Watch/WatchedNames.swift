/// The names that are never inputs of a watched folder.
struct WatchedNames {
    private let patterns: [GlobPattern]
    private static let suffixes = [".tmp", ".temp", ".partial", ".crdownload", ".download", ".opdownload", ".swp"]
    private static let names: Set<String> = ["desktop.ini", "lost+found", "__MACOSX"]

    /// Takes patterns for more names.
    init(ignoring patterns: [String]) {
        self.patterns = patterns.map { GlobPattern($0) }
    }

    /// Whether a file or folder is passed over: `SkippedNames`, `*.tmp`, `*.temp`, `*.partial`, `*.crdownload`,
    /// `*.download`, `*.opdownload`, `*.swp`, `~$*`, `desktop.ini`, `lost+found`, `__MACOSX`, and the patterns given.
    func mayBeInput(_ name: String) -> Bool {
        if SkippedNames.contains(name) || Self.names.contains(name) || name.utf8.starts(with: "~$".utf8) {
            return false
        }
        let lower = name.lowercased()
        if Self.suffixes.contains(where: { lower.hasSuffix($0) }) { return false }
        // As programs of other systems write them.
        if lower.hasSuffix(".part") || lower.hasSuffix(".filepart") || lower == "thumbs.db" { return false }
        return !self.patterns.contains { $0.matches(name) }
    }
}

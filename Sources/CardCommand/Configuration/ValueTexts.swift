import Foundation
import SystemPackage

/// Durations as people write them: a whole number and one unit, as in `500ms`, `5s`, `10m`, `2h`, `30d`.
enum DurationText {
    private static let units: [(suffix: String, size: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", Self.day),
    ]
    private static let day: Int64 = 86_400_000

    /// Reads a duration; `nil` if the text has another form or the number is too large.
    static func parse(_ text: String) -> Duration? { measure(text, Self.units).map { .milliseconds($0) } }

    /// Writes a duration with the largest unit that keeps it whole: 90 s is `90s`, 120 s is `2m`; a single day is `24h`.
    static func render(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        let units = milliseconds == Self.day ? Self.units.dropLast() : Self.units[...]
        let unit = units.last { milliseconds.isMultiple(of: $0.size) } ?? Self.units[0]
        return "\(milliseconds / unit.size)\(unit.suffix)"
    }
}

/// Reads a whole number and one unit; `nil` if the text has another form or the number is too large.
private func measure(_ text: String, _ units: [(suffix: String, size: Int64)]) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard let unit = units.first(where: { $0.suffix == suffix }), let number = Int64(digits) else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit.size)
    return overflow ? nil : product
}

/// Numbers of bytes as people write them: `1990000`, `2MB` (powers of ten), `32MiB` (powers of two).
enum ByteCountText {
    private static let units: [(suffix: String, size: Int64)] = [
        ("", 1), ("B", 1), ("kB", 1000), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000),
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    /// Reads a number of bytes; `nil` if the text has another form or the number is too large.
    static func parse(_ text: String) -> Int64? {
        // People write `32 MiB`; YAML and shells keep the space.
        measure(text, Self.units + Self.units.map { (" " + $0.suffix, $0.size) })
    }

    /// Writes a number of bytes: with a binary unit if it is a whole number of them (`32MiB`), else plain.
    static func render(_ bytes: Int64) -> String {
        guard bytes != 0 else { return "0" }
        for (suffix, size) in Self.units.suffix(3).reversed() where bytes.isMultiple(of: size) {
            return "\(bytes / size)\(suffix)"
        }
        return "\(bytes)"
    }
}

/// Finds the name that a person intended.
enum NameSuggestion {
    /// The known name closest to a mistyped one; `nil` if none is near.
    ///
    /// Capitals, `_`, `-` and `.` do not count, so `imaging.maxEdge` finds `imaging.max_edge`; otherwise a third of the
    /// letters may differ.
    static func closest(to name: String, among known: [String]) -> String? {
        let wanted = Self.normalised(name)
        // A text longer than any key is not a mistyped key, and the time for the distance grows with the product of the lengths.
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

/// The folders of the user of this process, from the environment (XDG Base Directory Specification 0.8).
struct UserFolders: Sendable {
    /// The base of relative paths: the working directory, or the folder of the file with the path.
    var base = FilePath(FileManager.default.currentDirectoryPath)
    private let home: String?
    private let configuration: String?
    private let data: String?

    /// Reads the variables; relative paths in them are ignored, as the specification asks.
    init(environment: [String: String]) {
        let absolute = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolute("HOME")
        self.home = home
        self.configuration = absolute("XDG_CONFIG_HOME") ?? home.map { "\($0)/.config" }
        self.data = absolute("XDG_DATA_HOME") ?? home.map { "\($0)/.local/share" }
    }

    /// The default sandbox; the one of the embedded endpoints differs.
    func sandbox(embedded: Bool) -> String? {
        self.data.map { "\($0)/idcard-pipeline/\(embedded ? "embedded" : "sandbox")" }
    }

    /// The default file of the sandbox's keys; the one of the embedded endpoints differs.
    func keyFile(embedded: Bool) -> String? { self.configured(embedded ? "embedded.key" : "vault.key") }

    /// Replaces `~` at the start of a path: no shell does so in a file.
    func expand(_ path: String) -> String {
        guard let home = self.home else { return path }
        if path == "~" { return home }
        return path.hasPrefix("~/") ? home + path.dropFirst() : path
    }

    /// The absolute path of a value.
    func resolve(_ path: String) -> String {
        let path = self.expand(path)
        guard !path.hasPrefix("/") else { return path }
        // Without `./`, as the path is shown; `..` stays, as it may follow a symbolic link.
        return self.base.appending(FilePath(path).components.filter { $0.kind != .currentDirectory }).string
    }

    /// The default path of a file with this name.
    func configured(_ name: String) -> String? { self.configuration.map { "\($0)/idcard-pipeline/\(name)" } }
}

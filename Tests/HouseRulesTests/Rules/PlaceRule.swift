/// Checks that no file tells where it was made: no absolute path of a machine, no settings of a package index.
enum PlaceRule {
    // Put together here, so that this file does not find itself.
    private static let folders = ["wo" + "rk", "tmp/mi" + "ni", "far" + "m"]
    private static let indexes = [
        "--index" + "-url", "--extra-index" + "-url", "GOPRO" + "XY=", "npm_config_" + "registry",
    ]

    /// Checks any text file.
    static func findings(in source: SourceText) -> [Finding] {
        source.lines.enumerated().compactMap { index, line in
            if let folder = self.folders.first(where: { self.line(line, namesRootFolder: $0) }) {
                return source.finding(at: index, "an absolute path of the machine it was made on: /\(folder)")
            }
            return self.indexes.first { line.mentions($0) }.map {
                source.finding(at: index, "a setting of a package index: \($0)")
            }
        }
    }

    private static func line(_ line: String, namesRootFolder folder: String) -> Bool {
        guard line.mentions("/" + folder + "/") else { return false }
        var rest = line[...]
        while let range = rest.firstRange(of: "/" + folder + "/") {
            let before = range.lowerBound == line.startIndex ? nil : line[line.index(before: range.lowerBound)]
            // Preceded by a name, this is a folder somewhere below, such as `net/…` in a URL.
            guard let before, before.isLetter || before.isNumber || "._-~*}".contains(before) else { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}

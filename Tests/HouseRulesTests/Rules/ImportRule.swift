/// Checks the `import` lines of a source file against the table.
enum ImportRule {
    /// Checks one file of `Sources`.
    static func findings(in source: SourceText) -> [Finding] {
        guard let own = ImportTable.own[source.target] else {
            return [source.finding(at: 0, "the module \(source.target) is not in the import table")]
        }
        return self.imports(in: source).compactMap { line, module in
            let isAllowed =
                ImportTable.free.contains(module) || own.contains(module)
                || ImportTable.packages[module]?.contains(source.target) == true
            return isAllowed ? nil : source.finding(at: line, "\(source.target) may not import \(module)")
        }
    }

    /// The imported modules and the indices of their lines.
    static func imports(in source: SourceText) -> [(line: Int, module: String)] {
        let pattern =
            #/
            ^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:package|public|internal|fileprivate|private)\s+)?
            import\s+(?:(?:struct|class|enum|func|protocol|typealias|var|let)\s+)?(\w+)
            /#
        return source.code.enumerated().compactMap { index, line in
            guard line.mentions("import") else { return nil }
            return line.firstMatch(of: pattern).map { (index, String($0.1)) }
        }
    }
}

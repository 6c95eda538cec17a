/// Checks that every test runs and that none sleeps.
enum TestRule {
    /// Checks one Swift file of `Tests`.
    static func findings(in source: SourceText) -> [Finding] {
        self.unmarked(in: source) + self.sleeps(in: source)
    }

    /// Functions that look like tests but lack `@Test`: named `test…`, or expecting something in a suite without being
    /// called in the file.
    private static func unmarked(in source: SourceText) -> [Finding] {
        return source.swiftFunctions().compactMap { function in
            guard !function.attributes.contains("@Test"), function.name != "init" else { return nil }
            if function.name.contains(#/^test(?:[A-Z_0-9]|$)/#) {
                return source.finding(at: function.line, "\(function.name) looks like a test and lacks @Test")
            }
            let isInSuite = function.types.contains { $0.hasSuffix("Tests") || $0.hasSuffix("Suite") }
            let expects = source.code[function.lines].contains { $0.mentions("#expect") || $0.mentions("#require") }
            guard isInSuite, expects, self.uses(of: function.name, in: source) == 0 else { return nil }
            return source.finding(
                at: function.line,
                "\(function.name) expects something, is called by nobody and lacks @Test"
            )
        }
    }

    /// How often a name occurs other than as a declaration.
    private static func uses(of name: String, in source: SourceText) -> Int {
        source.code.count { line in
            guard line.mentions(name) else { return false }
            return line.matches(of: #/(func\s+)?(\w+)/#).contains { $0.2 == name && $0.1 == nil }
        }
    }

    private static func sleeps(in source: SourceText) -> [Finding] {
        source.code.enumerated().compactMap { index, line in
            let sleeps =
                line.mentions("sleep(") && line.contains(#/(?:\.|\b)(?:sleep|usleep|nanosleep)\(/#)
                && !line.contains(#/func\s+\w*sleep\(/#)
            return sleeps && !source.isExplained(lineAt: index)
                ? source.finding(at: index, "a sleep in a test: await an event instead, or say above why not") : nil
        }
    }
}

import Testing

/// The house rules, held against the project itself.
@Suite struct HouseRulesTests {
    private let project = Project()

    @Test("The import table knows every folder of Sources, and every import follows it")
    func imports() throws {
        let folders = try self.project.folders(in: "Sources")
        #expect(folders.count > 10, "the project was not found")
        #expect(
            folders.filter { ImportTable.own[$0] == nil } == [],
            "folders of Sources that are not in the import table"
        )
        let findings = try self.project.texts(in: "Sources", endings: [".swift"]).flatMap {
            ImportRule.findings(in: $0)
        }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("The import table runs downward: no module imports one that imports it, directly or by way of others")
    func importTableIsAcyclic() {
        for module in ImportTable.own.keys {
            var reached: Set<String> = []
            var pending = ImportTable.own[module] ?? []
            while let next = pending.popFirst() {
                if reached.insert(next).inserted { pending.formUnion(ImportTable.own[next] ?? []) }
            }
            #expect(!reached.contains(module), "\(module) reaches itself")
            #expect(!reached.contains("IDCardTesting"), "\(module) reaches the test doubles")
        }
    }

    @Test("Files have at most 500 lines and functions 70")
    func lengths() throws {
        let sources = try self.project.texts(in: "Sources", endings: [".swift", ".c", ".h"])
        let tests = try self.project.texts(in: "Tests", endings: [".swift"])
        let findings = (sources + tests).flatMap { LengthRule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("Sources are free of banned words")
    func words() throws {
        let findings = try self.project.texts(in: "Sources", endings: [".swift"]).flatMap { WordRule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("Nothing is marked as unfinished, in tests, C and scripts neither")
    func unfinished() throws {
        let texts =
            try self.project.texts(in: "Tests", endings: [".swift"])
            + self.project.texts(in: "Sources", endings: [".c", ".h"])
            + self.project.texts(in: "scripts")
        let findings = texts.flatMap { WordRule.unfinished(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("Every test runs, and none sleeps")
    func tests() throws {
        let findings = try self.project.texts(in: "Tests", endings: [".swift"]).flatMap { TestRule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("Every package or public declaration is documented")
    func documentation() throws {
        let sources = try self.project.texts(in: "Sources", endings: [".swift"])
        let requirements = sources.reduce(into: Set()) { $0.formUnion(DocumentationRule.requirements(in: $1)) }
        let findings = sources.flatMap { DocumentationRule.findings(in: $0, requirements: requirements) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("Log messages are constants, and every value is logged under a key that somebody has looked at")
    func logs() throws {
        let sources = try self.project.texts(in: "Sources", endings: [".swift"])
        let listed = LogRule.listedKeys(in: try #require(sources.first { $0.path == LogRule.list }))
        let production = sources.filter { $0.target != "IDCardTesting" }
        let findings = production.flatMap { LogRule.findings(in: $0, listed: listed) }
        #expect(findings.isEmpty, "\(findings.report)")
        let used = Set(production.flatMap { LogRule.keys(in: $0).map(\.1) })
        #expect(used.count > 10, "the keys were not found")
        #expect(listed.subtracting(used) == [], "keys that nobody uses any more")
    }

    @Test("The sandbox calls the system on a path as the owner of its folder")
    func fileCalls() throws {
        let sources = try self.project.texts(in: "Sources/IDCardSandbox", endings: [".swift"])
        #expect(sources.count > 50, "the sandbox was not found")
        let findings = sources.flatMap { FileCallRule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }

    @Test("No file tells where it was made")
    func places() throws {
        let texts = try self.project.allTexts()
        #expect(texts.contains { $0.path == "Package.swift" }, "the project was not found")
        let findings = texts.flatMap { PlaceRule.findings(in: $0) }
        #expect(findings.isEmpty, "\(findings.report)")
    }
}

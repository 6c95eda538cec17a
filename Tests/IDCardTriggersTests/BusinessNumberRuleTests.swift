import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Testing

/// Which part of a path is a business number, and which never is.
@Suite struct BusinessNumberRuleTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.write(
            "in/flat.jpg",
            "in/LOAN-1/front.jpg",
            "in/LOAN-1/身份证/back.jpg",
            "in/2026/LOAN-2/x/front.jpg",
            "in/LOAN-3_front.jpg"
        )
    }

    private func lines(_ rule: String, _ paths: String...) throws -> [String] {
        var options = ImageRules.options()
        options.businessNumberRule = try BusinessNumberRule(rule)
        return try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options).lines
    }

    private func numbers(_ rule: String, _ paths: String...) throws -> [String] {
        var options = ImageRules.options()
        options.businessNumberRule = try BusinessNumberRule(rule)
        let listing = try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options)
        return listing.lines.map { $0.hasPrefix("take") ? String($0.split(separator: " ")[1]) : "-" }
    }

    @Test(
        "Each rule takes its part of the path, and refuses images without that part",
        arguments: [
            ("folder", ["-", "LOAN-1", "-", "-", "-"]), ("folder:1", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
            ("folder:2", ["LOAN-2", "-", "身份证", "-", "-"]), ("folder:3", ["x", "-", "-", "-", "-"]),
            ("root", ["in", "in", "in", "in", "in"]), ("none", ["-", "-", "-", "-", "-"]),
            ("pattern:^([^/]+)/", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
            ("pattern:(LOAN-[0-9]+)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
            ("pattern:(^|/)(?<business_no>LOAN-[0-9]+)(_|/)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
        ] as [(String, [String])]
    )
    func rules(rule: String, numbers: [String]) throws {
        #expect(try self.numbers(rule, "in") == numbers)
    }

    @Test(
        "An image that is named itself, by a pattern or in a manifest takes nothing from its folders by any rule",
        arguments: ["folder", "folder:1", "folder:2", "root", "none", "pattern:^([^/]+)/", "pattern:(LOAN-1)"]
    )
    func named(rule: String) throws {
        for path in ["in/LOAN-1/front.jpg", "in/LOAN-1/*.jpg", "in/*/front.jpg", "in/**/front.jpg"] {
            #expect(try self.numbers(rule, path).allSatisfy { $0 == "-" }, "\(path)")
        }
        try self.folder.write("m.csv", text: "path\nin/LOAN-1/front.jpg\n")
        var options = ImageRules.options()
        options.businessNumberRule = try BusinessNumberRule(rule)
        let listing = try Listing(self.folder, paths: [], manifest: self.folder["m.csv"], options: options)
        #expect(listing.lines == ["refuse business_no_missing in/LOAN-1/front.jpg"])
    }

    @Test("A pattern reads the name of an image that is named itself, or by a pattern")
    func fileNames() throws {
        for path in ["in/LOAN-3_front.jpg", "in/LOAN-3*"] {
            #expect(try self.lines("pattern:^(LOAN-[0-9]+)_", path) == ["take LOAN-3 in/LOAN-3_front.jpg"])
        }
    }

    @Test("An image belongs to the nearest folder that was named, in whatever order they were")
    func nestedRoots() throws {
        for paths in [["in", "in/2026"], ["in/2026", "in"]] {
            var options = ImageRules.options()
            options.businessNumberRule = .level(1)
            let listing = try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options)
            #expect(listing.lines.count == 5)
            #expect(listing.lines.contains("take LOAN-2 in/2026/LOAN-2/x/front.jpg"))
            options.businessNumberRule = .root
            let roots = try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options)
            #expect(roots.lines.contains("take 2026 in/2026/LOAN-2/x/front.jpg"))
            #expect(roots.lines.count == 5)
        }
    }

    @Test(
        "The name of a folder written with a dot is that of the real one",
        arguments: ["in/LOAN-1/.", "in/2026/../LOAN-1/"]
    )
    func dots(path: String) throws {
        #expect(try self.numbers("root", path) == ["LOAN-1", "LOAN-1"])
    }

    @Test("A folder that is named by two names lends neither")
    func twoNames() throws {
        try self.folder.link("other", to: "in/LOAN-1")
        #expect(try self.numbers("root", "other", "in/LOAN-1") == ["-", "-"])
    }

    @Test("Folders of files that were put away lend no name by any rule")
    func putAway() throws {
        try self.folder.write("in/done/a.jpg")
        #expect(try self.lines("folder:1", "in").contains("refuse business_no_missing in/done/a.jpg"))
        #expect(try self.lines("root", "in/done") == ["refuse business_no_missing in/done/a.jpg"])
    }

    @Test(
        "A refusal names the option that takes the image, and neither path nor names",
        arguments: [
            ("folder", "in/LOAN-1", "--business-no-from root"), ("folder", "in", "--business-no-from folder:1"),
            ("folder", "in", "folder:2"), ("folder", "in", "folder:3"),
            ("folder", "in/LOAN-1/front.jpg", "pattern:REGEX"),
            ("folder:2", "in/LOAN-1", "folder:2"), ("none", "in", "--business-no-from none"),
            ("pattern:(X)", "in", "intake.business_no_from"),
        ]
    )
    func advice(rule: String, path: String, words: String) throws {
        var options = ImageRules.options()
        options.businessNumberRule = try BusinessNumberRule(rule)
        let messages = try Listing(self.folder, paths: [self.folder[path]], options: options).messages
        #expect(messages.contains { $0.contains(words) }, "\(messages)")
        #expect(messages.allSatisfy { $0.contains("--business-no") && !$0.contains("LOAN") && !$0.contains("身份证") })
    }

    @Test(
        "A rule that cannot be read says what it must be",
        arguments: [
            ("", "root, folder"), ("Folder", "root, folder"), ("folder:", "1 to 64"), ("folder:0", "1 to 64"),
            ("folder:65", "1 to 64"), ("folder:-1", "1 to 64"), ("folder:x", "1 to 64"), ("pattern:", "0 groups"),
            ("pattern:LOAN", "0 groups"), ("pattern:(a)(b)", "2 groups"), ("pattern:((", "no regular expression"),
        ]
    )
    func malformed(text: String, words: String) throws {
        let problem = try #require(throws: BusinessNumberRule.Problem.self) { try BusinessNumberRule(text) }
        #expect(problem.words.contains(words), "\(problem.words)")
    }

    @Test("Who said what is told with each input, field by field")
    func origins() throws {
        try self.folder.write("in/LOAN-1/front.jpg.json", text: #"{"side": "front", "user_no": "U-1"}"#)
        try self.folder.write("m.csv", text: "path,expected_name\nin/LOAN-1/front.jpg,张三\n")
        var options = ImageRules.options(userNumber: "U-2")
        options.businessNumberRule = .level(1)
        var seen: [MetadataOrigins] = []
        let source = BatchSource(
            paths: [self.folder["in/LOAN-1"], self.folder["in"]],
            manifest: self.folder["m.csv"],
            options: options
        )
        try source.forEach { item, origins in
            if item.source.reveal().hasSuffix("LOAN-1/front.jpg") { seen.append(origins) }
        }
        var expected = MetadataOrigins()
        expected.userNumber = .sidecar
        expected.side = .sidecar
        expected.expectedName = .manifest(row: 2)
        #expect(seen == [expected], "the folder was named itself")
        var below = MetadataOrigins()
        below.businessNumber = .folder
        below.userNumber = .option
        var back: MetadataOrigins?
        try BatchSource(paths: [self.folder["in"]], manifest: nil, options: options).forEach { item, origins in
            if item.source.reveal().hasSuffix("back.jpg") { back = origins }
        }
        #expect(back == below)
    }
}

import CardInput
import CardModel
import Testing

/// Which part of a path is a business number, and which never is.
@Suite struct BusinessNumberRuleTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = TemporaryFolder()
        try self.folder.write(
            "in/flat.jpg",
            "in/LOAN-1/front.jpg",
            "in/LOAN-1/身份证/back.jpg",
            "in/2026/LOAN-2/x/front.jpg",
            "in/LOAN-3_front.jpg"
        )
    }

    private func lines(_ rule: String, _ paths: String...) throws -> [String] {
        let options = try Listing.options(from: BusinessNumberRule(rule))
        return try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options).lines
    }

    private func numbers(_ rule: String, _ paths: String...) throws -> [String] {
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let listing = try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options)
        return listing.lines.map { $0.hasPrefix("take") ? String($0.split(separator: " ")[1]) : "-" }
    }

    @Test(
        arguments: [
            ("folder", ["-", "LOAN-1", "-", "-", "-"]), ("folder:1", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
            ("folder:2", ["LOAN-2", "-", "身份证", "-", "-"]), ("folder:3", ["x", "-", "-", "-", "-"]),
            ("root", ["in", "in", "in", "in", "in"]), ("none", ["-", "-", "-", "-", "-"]),
            ("pattern:^([^/]+)/", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
            ("pattern:(LOAN-[0-9]+)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
            ("pattern:(^|/)(?<business_no>LOAN-[0-9]+)(_|/)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
        ] as [(String, [String])]
    )
    func `Each rule takes its part of the path, and refuses images without that part`(rule: String, numbers: [String])
        throws
    {
        #expect(try self.numbers(rule, "in") == numbers)
    }

    @Test(arguments: ["folder", "folder:1", "folder:2", "root", "none", "pattern:^([^/]+)/", "pattern:(LOAN-1)"]
    )
    func `An image that is named itself, by a pattern or in a manifest takes nothing from its folders by any rule`(
        rule: String
    ) throws {
        for path in ["in/LOAN-1/front.jpg", "in/LOAN-1/*.jpg", "in/*/front.jpg", "in/**/front.jpg"] {
            #expect(try self.numbers(rule, path).allSatisfy { $0 == "-" }, "\(path)")
        }
        try self.folder.write("m.csv", text: "path\nin/LOAN-1/front.jpg\n")
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let listing = try self.folder.listing(manifest: "m.csv", options: options)
        #expect(listing.lines == ["refuse business_no_missing in/LOAN-1/front.jpg"])
    }

    @Test func `A pattern reads the name of an image that is named itself, or by a pattern`() throws {
        for path in ["in/LOAN-3_front.jpg", "in/LOAN-3*"] {
            #expect(try self.lines("pattern:^(LOAN-[0-9]+)_", path) == ["take LOAN-3 in/LOAN-3_front.jpg"])
        }
    }

    @Test func `An image belongs to the nearest folder that was named, in whatever order they were`() throws {
        for paths in [["in", "in/2026"], ["in/2026", "in"]] {
            var options = Listing.options()
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

    @Test(arguments: ["in/LOAN-1/.", "in/2026/../LOAN-1/"]
    )
    func `The name of a folder written with a dot is that of the real one`(path: String) throws {
        #expect(try self.numbers("root", path) == ["LOAN-1", "LOAN-1"])
    }

    @Test func `A folder that is named by two names lends neither`() throws {
        try self.folder.link("other", to: "in/LOAN-1")
        #expect(try self.numbers("root", "other", "in/LOAN-1") == ["-", "-"])
    }

    @Test func `Folders of files that were put away lend no name by any rule`() throws {
        try self.folder.write("in/done/a.jpg")
        #expect(try self.lines("folder:1", "in").contains("refuse business_no_missing in/done/a.jpg"))
        #expect(try self.lines("root", "in/done") == ["refuse business_no_missing in/done/a.jpg"])
    }

    @Test(arguments: [
        ("folder", "in/LOAN-1", "--business-no-from root"), ("folder", "in", "--business-no-from folder:1"),
        ("folder", "in", "folder:2"), ("folder", "in", "folder:3"),
        ("folder", "in/LOAN-1/front.jpg", "pattern:REGEX"),
        ("folder:2", "in/LOAN-1", "folder:2"), ("none", "in", "--business-no-from none"),
        ("pattern:(X)", "in", "intake.business_no_from"),
    ]
    )
    func `A refusal names the option that takes the image, and neither path nor names`(
        rule: String,
        path: String,
        words: String
    ) throws {
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let messages = try self.folder.listing(path, options: options).messages
        #expect(messages.contains { $0.contains(words) }, "\(messages)")
        #expect(messages.allSatisfy { $0.contains("--business-no") && !$0.contains("LOAN") && !$0.contains("身份证") })
    }

    @Test(arguments: [
        ("", "root, folder"), ("Folder", "root, folder"), ("folder:", "1 to 64"), ("folder:0", "1 to 64"),
        ("folder:65", "1 to 64"), ("folder:-1", "1 to 64"), ("folder:x", "1 to 64"), ("pattern:", "0 groups"),
        ("pattern:LOAN", "0 groups"), ("pattern:(a)(b)", "2 groups"), ("pattern:((", "no regular expression"),
    ]
    )
    func `A rule that cannot be read says what it must be`(text: String, words: String) throws {
        let problem = try #require(throws: CodedError.self) { try BusinessNumberRule(text) }
        #expect(problem.code == .businessNumberRuleInvalid)
        #expect(problem.message.text().contains(words), "\(problem.message)")
    }

    @Test func `Who said what is told with each input, field by field`() throws {
        try self.folder.write("in/LOAN-1/front.jpg.json", text: #"{"side": "front", "user_no": "U-1", "priority": 2}"#)
        try self.folder.write("m.csv", text: "path,expected_name\nin/LOAN-1/front.jpg,张三\n")
        let options = Listing.options(userNumber: "U-2", from: .level(1))
        let listing = try self.folder.listing("in", manifest: "m.csv", options: options)
        let origins = Dictionary(uniqueKeysWithValues: listing.items.map { ($0.name.reveal(), $0.origins) })
        #expect(
            origins[self.folder["in/LOAN-1/front.jpg"]] == [
                .businessNumber: .folder, .userNumber: .sidecar, .side: .sidecar, .priority: .sidecar,
                .expectedName: .manifest(row: 2),
            ]
        )
        #expect(
            origins[self.folder["in/LOAN-1/身份证/back.jpg"]] == [.businessNumber: .folder, .userNumber: .option]
        )
    }

    @Test(arguments: [
        ("pattern:^([^/]+)/", FieldOrigin.folder), ("pattern:/([^/]+)\\.jpg", .filename),
    ]) func `A pattern tells whether the folder or the file gives the number`(rule: String, origin: FieldOrigin) throws
    {
        let folder = TemporaryFolder()
        try folder.write("in/A/B.jpg")
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let item = try #require(try Listing(folder, paths: [folder["in"]], options: options).items.first)
        #expect(item.origins == [.businessNumber: origin])
        #expect(item.metadata.businessNumber.rawValue == (origin == .folder ? "A" : "B"))
    }
}

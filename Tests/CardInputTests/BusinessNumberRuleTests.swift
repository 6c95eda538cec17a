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

    private func lines(_ rule: String, _ paths: [String]) throws -> [String] {
        let options = try Listing.options(from: BusinessNumberRule(rule))
        return try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options).lines
    }

    private func numbers(_ rule: String, _ paths: [String]) throws -> [String] {
        try self.lines(rule, paths).map { $0.hasPrefix("take") ? String($0.split(separator: " ")[1]) : "-" }
    }

    @Test(arguments: [
        ("folder", ["-", "LOAN-1", "-", "-", "-"] as [String]), ("folder:1", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
        ("folder:2", ["LOAN-2", "-", "身份证", "-", "-"]), ("folder:3", ["x", "-", "-", "-", "-"]),
        ("root", ["in", "in", "in", "in", "in"]), ("none", ["-", "-", "-", "-", "-"]),
        ("pattern:^([^/]+)/", ["2026", "LOAN-1", "LOAN-1", "-", "-"]),
        ("pattern:(LOAN-[0-9]+)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
        ("pattern:(^|/)(?<business_no>LOAN-[0-9]+)(_|/)", ["LOAN-2", "LOAN-1", "LOAN-1", "LOAN-3", "-"]),
    ])
    func `Each rule takes its part of the path, and refuses images without it`(rule: String, numbers: [String]) throws {
        #expect(try self.numbers(rule, ["in"]) == numbers)
    }

    @Test(arguments: ["folder", "folder:1", "folder:2", "root", "none", "pattern:^([^/]+)/", "pattern:(LOAN-1)"])
    func `An image that is named itself, by a pattern or in a row takes nothing from its folders`(rule: String) throws {
        for path in ["in/LOAN-1/front.jpg", "in/LOAN-1/*.jpg", "in/*/front.jpg", "in/**/front.jpg"] {
            #expect(try self.numbers(rule, [path]).allSatisfy { $0 == "-" }, "\(path)")
        }
        try self.folder.write("m.csv", text: "path\nin/LOAN-1/front.jpg\n")
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let listing = try self.folder.listing(manifest: "m.csv", options: options)
        #expect(listing.lines == ["refuse business_no_missing in/LOAN-1/front.jpg"])
    }

    @Test(arguments: [
        (["in/LOAN-1/."], ["LOAN-1", "LOAN-1"]), (["in/2026/../LOAN-1/"], ["LOAN-1", "LOAN-1"]),
        (["other", "in/LOAN-1"], ["-", "-"]),
    ])
    func `The name of a folder is that of the real one, if it has one`(paths: [String], numbers: [String]) throws {
        try self.folder.link("other", to: "in/LOAN-1")
        #expect(try self.numbers("root", paths) == numbers)
    }

    @Test func `A pattern reads the name of an image that is named itself, or by a pattern`() throws {
        for path in ["in/LOAN-3_front.jpg", "in/LOAN-3*"] {
            #expect(try self.lines("pattern:^(LOAN-[0-9]+)_", [path]) == ["take LOAN-3 in/LOAN-3_front.jpg"])
        }
    }

    @Test func `An image belongs to the nearest folder that was named, in whatever order they were`() throws {
        for paths in [["in", "in/2026"], ["in/2026", "in"]] {
            for (rule, number) in [("folder:1", "LOAN-2"), ("root", "2026"), ("folder", "-")] {
                let lines = try self.lines(rule, paths)
                #expect(lines.count == 5)
                let expected = number == "-" ? "refuse business_no_missing" : "take \(number)"
                #expect(lines.contains(expected + " in/2026/LOAN-2/x/front.jpg"))
            }
        }
    }

    @Test(arguments: [
        ("folder", "in/LOAN-1", "--business-no-from root"), ("folder", "in", "--business-no-from of run) to folder:1"),
        ("folder", "in", "folder:2"), ("folder", "in", "folder:3"), ("folder", "in", "manifest"),
        ("folder", "in/LOAN-1/front.jpg", "pattern:REGEX"),
        ("folder:2", "in/LOAN-1", "folder:2"), ("none", "in", "--business-no-from of run) is none; set another rule"),
        ("pattern:(X)", "in", "intake.business_no_from"),
    ])
    func `A refusal names the option to take, and no name`(rule: String, path: String, words: String) throws {
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let messages = try self.folder.listing(path, options: options).messages
        #expect(messages.contains { $0.contains(words) }, "\(messages)")
        #expect(messages.allSatisfy { $0.contains("--business-no") && !$0.contains("LOAN") && !$0.contains("身份证") })
    }

    @Test(arguments: [
        ("", "root, folder"), ("Folder", "root, folder"), ("folder:", "1 to 64"), ("folder:0", "1 to 64"),
        ("folder:65", "1 to 64"), ("folder:-1", "1 to 64"), ("folder:x", "1 to 64"), ("pattern:", "0 groups"),
        ("pattern:LOAN", "0 groups"), ("pattern:(a)(b)", "2 groups"), ("pattern:((", "not a regular expression"),
    ])
    func `A rule that cannot be read says what it must be`(text: String, words: String) throws {
        let problem = try #require(throws: CodedError.self) { try BusinessNumberRule(text) }
        #expect(problem.code == .businessNumberRuleInvalid)
        #expect(problem.message.text().contains(words), "\(problem.message)")
    }

    @Test(arguments: [
        ("pattern:^([^/]+)/", FieldOrigin.folder), ("pattern:/([^/]+)\\.jpg", .filename),
    ]) func `A pattern tells whether folder or file gives the number`(rule: String, origin: FieldOrigin) throws {
        let folder = TemporaryFolder()
        try folder.write("in/A/B.jpg")
        let options = try Listing.options(from: BusinessNumberRule(rule))
        let item = try #require(try Listing(folder, paths: [folder["in"]], options: options).items.first)
        #expect(item.origins == [.businessNumber: origin])
        #expect(item.metadata.businessNumber.rawValue == (origin == .folder ? "A" : "B"))
    }
}

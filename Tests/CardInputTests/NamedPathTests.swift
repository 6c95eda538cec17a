import CardInput
import CardModel
import Foundation
import Glibc
import Testing

/// Paths and patterns on the command line.
@Suite struct NamedPathTests {
    private let folder = TemporaryFolder()

    @Test func `Inputs come in the order of the paths, and one named twice comes where it was named first`() throws {
        try self.folder.write("x/L1/b.jpg", "x/L1/a.jpg", "x/L2/c.jpg")
        let paths = [
            self.folder["x/L2/c.jpg"], self.folder["x"], self.folder["x/L1/../L1/a.jpg"], self.folder["x/./L2//c.jpg"],
            self.folder["x"],
        ]
        let listing = try Listing(self.folder, paths: paths)
        #expect(listing.lines == ["take L2 x/L2/c.jpg", "take L1 x/L1/a.jpg", "take L1 x/L1/b.jpg"])
    }

    @Test func `A file named on the command line is always an input, without a number from its folder`() throws {
        try self.folder.write("LOAN-1/notes.txt", text: "text")
        try self.folder.write("LOAN-1/.hidden.jpg", "LOAN-2/a.part")
        let paths = [self.folder["LOAN-1/notes.txt"], self.folder["LOAN-1/.hidden.jpg"], self.folder["LOAN-2/a.part"]]
        let names = ["LOAN-1/notes.txt", "LOAN-1/.hidden.jpg", "LOAN-2/a.part"]
        #expect(try Listing(self.folder, paths: paths).lines == names.map { "refuse business_no_missing \($0)" })
        let told = try Listing(self.folder, paths: paths, options: Listing.options(businessNumber: "B"))
        #expect(told.lines == names.map { "take B \($0)" })
    }

    @Test func `A workbook says that it is one, and how it becomes a manifest`() throws {
        try self.folder.write("c/L/a.xlsx", text: "PK\u{3}\u{4}")
        // Its name alone does not make it one.
        try self.folder.write("c/L/photo.xlsx")
        let listing = try Listing(self.folder, paths: [self.folder["c"]])
        #expect(Set(listing.lines) == ["ignore c/L/a.xlsx", "take L c/L/photo.xlsx"])
        let named = try Listing(
            self.folder,
            paths: [self.folder["c/L/a.xlsx"]],
            options: Listing.options(businessNumber: "B")
        )
        #expect(named.lines == ["refuse unsupported_format c/L/a.xlsx"])
        let text = named.list.refused.first?.error.message.text() ?? ""
        #expect(text.contains("a workbook; save it as CSV"), "\(text)")
    }

    @Test func `A file that its folder would ignore is taken if it is named too, before or after`() throws {
        try self.folder.write("c/L/notes.txt", text: "text")
        let named = self.folder["c/L/notes.txt"]
        #expect(try Listing(self.folder, paths: [self.folder["c"], named]).lines == ["take L c/L/notes.txt"])
        #expect(try Listing(self.folder, paths: [named, self.folder["c"]]).lines == ["take L c/L/notes.txt"])
    }

    @Test func `The source is the path as given, joined with the part below; the path is absolute and real`() throws {
        try self.folder.write("c/L/a.jpg")
        let relative = self.folder.relativePath(of: "c")
        for given in [relative, relative + "/"] {
            let item = try #require(try Listing(self.folder, paths: [given]).items.first)
            #expect(item.name.reveal() == relative + "/L/a.jpg")
            #expect(item.path == self.folder["c/L/a.jpg"])
        }
    }

    @Test func `A path that writes the name of one file or folder otherwise means that one`() throws {
        try self.folder.write("c/L/a b.jpg")
        for path in ["file://" + self.folder["c/L/a%20b.jpg"], self.folder["C/l/A B.jpg"]] {
            #expect(
                try Listing(self.folder, paths: [path], options: Listing.options(businessNumber: "B")).items.count == 1
            )
        }
        #expect(try self.folder.lines("C") == ["take L c/L/a b.jpg"])
        try self.folder.link("dead", to: "none")
        #expect(try self.folder.error("dead").code == .inputNotFound)
    }

    @Test(arguments: ["none.jpg", "none/", "*.png", "c/[x", "c/L/a.jpg/b", ""])
    func `A path or pattern that names nothing is an error of the run`(_ below: String) throws {
        try self.folder.write("c/L/王小明.jpg", "c/L/a.jpg")
        let error = try #require(throws: CodedError.self) {
            try Listing(self.folder, paths: [self.folder["c"], below.isEmpty ? "" : self.folder[below]])
        }
        #expect(error.code == .inputNotFound)
        if !below.isEmpty { #expect(!"\(error)".contains(below) && error.message.text().contains(self.folder[below])) }
    }

    @Test(arguments: [
        ("c/*/front.jpg", ["c/LOAN-1/front.jpg", "c/LOAN-2/front.jpg"] as [String]),
        ("c/LOAN-?/f*.jpg", ["c/LOAN-1/front.jpg", "c/LOAN-2/front.jpg"]),
        ("c/LOAN-[!1]/[a-g]*.jpg", ["c/LOAN-2/back.jpg", "c/LOAN-2/front.jpg"]),
        ("c/LOAN-[1-1]/*.jpg", ["c/LOAN-1/front.jpg"]),
        ("c/*/*/x.jpg", ["c/LOAN-2/deep/x.jpg"]),
        ("c/**/front.jpg", ["c/LOAN-1/front.jpg", "c/LOAN-2/front.jpg"]),
        ("c/**/x.jpg", []),
        ("c/.*", ["c/.git/x.jpg"]),
        ("c/LOAN-\\1/*", ["c/LOAN-1/front.jpg"]),
        ("c/LOAN-1/*/../front.jpg", []),
        // A wildcard stands for a whole character, not for a byte.
        ("p/照?.jpg", ["p/照片.jpg"]), ("p/??.jpg", ["p/照片.jpg"]), ("p/[照相]片.jpg", ["p/照片.jpg"]), ("p/?.jpg", []),
        ("p/[!照]片.jpg", []),
        // A file of that very name is no pattern.
        ("q/a[1].jpg", ["q/a[1].jpg"]), ("q/a[1-1].jpg", ["q/a1.jpg"]),
        // A folder that is matched is a named one, and ** stands for one name.
        ("r/LOAN-*", ["r/LOAN-1/a.jpg"]), ("r/*/", ["r/LOAN-1/a.jpg"]), ("r/*", ["r/LOAN-1/a.jpg", "r/flat.jpg"]),
        ("r/**", ["r/LOAN-1/a.jpg", "r/flat.jpg"]),
    ])
    func `A pattern names what the shell would have named`(_ pattern: String, _ expected: [String]) throws {
        try self.folder.write(
            "c/LOAN-1/front.jpg",
            "c/LOAN-1/.hidden.jpg",
            "c/LOAN-1/Thumbs.db",
            "c/LOAN-2/front.jpg",
            "c/LOAN-2/back.jpg",
            "c/LOAN-2/deep/x.jpg",
            "c/.git/x.jpg"
        )
        try self.folder.write("p/照片.jpg", "q/a[1].jpg", "q/a1.jpg", "r/LOAN-1/a.jpg", "r/flat.jpg")
        try self.folder.write("c/LOAN-1/front.jpg.json", text: "{}")
        let lines = (try? self.folder.listing(pattern).lines) ?? []
        #expect(lines == expected.map { "refuse business_no_missing " + $0 }, "as after the shell's own expansion")
    }

    @Test func `Files named by a pattern are judged like those of a folder`() throws {
        try self.folder.write("c/L/a.jpg")
        try self.folder.write("c/L/notes.txt", text: "text")
        let listing = try self.folder.listing("c/L/*", options: Listing.options(businessNumber: "B"))
        #expect(listing.lines == ["take B c/L/a.jpg", "ignore c/L/notes.txt"])
    }

    @Test(.enabled(if: geteuid() != 0, "root lists every folder"))
    func `a pattern whose folders cannot all be listed is an error, but for those without inputs`() throws {
        try self.folder.write("c/LOAN-1/a.jpg", "c/lost+found/b.jpg", "d/LOAN-1/a.jpg", "d/LOAN-2/b.jpg")
        for closed in ["c/lost+found", "d/LOAN-2"] { #expect(chmod(self.folder[closed], 0) == 0) }
        defer { for closed in ["c/lost+found", "d/LOAN-2"] { chmod(self.folder[closed], 0o755) } }
        #expect(try self.folder.lines("c/*/*.jpg") == ["refuse business_no_missing c/LOAN-1/a.jpg"])
        #expect(try self.folder.error("d/*/*.jpg").code == .inputUnreadable)
    }

    @Test func `a pattern that leads to a path which is too long for the system is an error of the run`() throws {
        let deep = try DeepFolders(below: self.folder.path, count: 22)
        defer { deep.remove() }
        #expect(try self.folder.error("deep*" + String(repeating: "/*", count: 22)).code == .inputUnreadable)
    }

    @Test func `A pattern follows no link out of its fixed part`() throws {
        try self.folder.write("out/a.jpg", "c/L/b.jpg")
        try self.folder.link("c/L/leak.jpg", to: "out/a.jpg")
        try self.folder.link("c/X", to: "out")
        try self.folder.link("c/M", to: "c/L")
        // The link to a folder inside leads to the same file.
        let listing = try self.folder.listing("c/*/*.jpg", options: Listing.options(businessNumber: "B"))
        #expect(listing.lines == ["take B c/L/b.jpg"])
    }

    @Test func `More inputs than the limit are refused as a whole, ignored ones counted`() throws {
        try self.folder.write("c/L/1.jpg", "c/L/2.jpg")
        try self.folder.write("c/L/3.txt", text: "text")
        let source = { (limit: Int) in
            try self.folder.listing("c", "c", limit: limit).list.entries.count
        }
        #expect(try source(3) == 3)
        let error = try #require(throws: CodedError.self) { try source(2) }
        #expect(error.code == .tooManyInputs)
        #expect(error.message.text().contains("2"))
    }
}

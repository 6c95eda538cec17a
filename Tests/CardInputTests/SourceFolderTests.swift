import CFolders
import CardModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import CardInput

/// A source of the configuration: whoever may put files into it may not name others.
@Suite struct SourceFolderTests {
    private let folder = TemporaryFolder()

    private func items(_ source: String) throws -> [String] {
        try Listing(self.folder, BatchSource(source: self.folder[source], options: Listing.options())).lines
    }

    @Test func `Rows of a manifest that lies in the folder name files of the folder; others are refused`() throws {
        try self.folder.write("in/L/a.jpg", "secret/b.jpg", "in-2/c.jpg")
        try self.folder.link("in/link.jpg", to: "secret/b.jpg")
        try self.folder.link("in/inner.jpg", to: "in/L/a.jpg")
        let rows = [
            "L/a.jpg", "L/../L/a.jpg", self.folder["secret/b.jpg"], "../secret/b.jpg", "../in-2/c.jpg", "link.jpg",
            "inner.jpg", "https://images.example/1.jpg",
        ]
        let table = rows.enumerated().map { "\($1),B-\($0)\n" }.joined()
        try self.folder.write("in/manifest.csv", text: "path,business_no\n" + table)
        let refused = "refuse source_unreadable "
        let lines = try Set(self.items("in"))
        // The second row of one file is that file again.
        for path in ["secret/b.jpg", "in/../in-2/c.jpg"] { #expect(lines.contains(refused + path)) }
        #expect(lines.contains { $0.hasPrefix(refused) && $0.hasSuffix("in/link.jpg") })
        let taken = lines.filter { $0.hasPrefix("take") }
        #expect(taken.allSatisfy { !$0.contains("secret") && !$0.contains("in-2") && !$0.contains("link.jpg") })
        #expect(taken.contains { $0.hasSuffix("in/inner.jpg") })
    }

    @Test func `A manifest in the folder that is a link is refused, not followed and not passed over`() throws {
        try self.folder.write("in/L/a.jpg")
        try self.folder.write("other.csv", text: "path,business_no\nL/a.jpg,B-1\n")
        try self.folder.link("in/manifest.csv", to: "other.csv")
        let error = #expect(throws: CodedError.self) { try self.items("in") }
        #expect(error?.code == .manifestUnreadable)
    }

    @Test func `A source is a folder with the manifest that it holds, or a manifest alone`() throws {
        try self.folder.write("c/LOAN-1/a.jpg", "c/LOAN-1/b.jpg")
        #expect(try self.items("c") == ["take LOAN-1 c/LOAN-1/a.jpg", "take LOAN-1 c/LOAN-1/b.jpg"])
        try self.folder.write("c/manifest.jsonl", text: #"{"path": "LOAN-1/b.jpg", "business_no": "R-1"}"#)
        #expect(try self.items("c") == ["take LOAN-1 c/LOAN-1/a.jpg", "take R-1 c/LOAN-1/b.jpg"])
        #expect(try self.items("c/manifest.jsonl") == ["take R-1 c/LOAN-1/b.jpg"])
        // One that the configuration names itself may name every file.
        try self.folder.write("lists/today.csv", text: "path,business_no\n../c/LOAN-1/b.jpg,B-1\n")
        #expect(try self.items("lists/today.csv") == ["take B-1 lists/../c/LOAN-1/b.jpg"])
    }

    // MARK: Exchanged while it is listed

    /// Puts a link to a stranger's folder in the place of a folder of the source.
    private func exchange(_ path: String) throws {
        #expect(rename(self.folder[path], self.folder["kept"]) == 0)
        try self.folder.link(path, to: "stranger")
    }

    @Test func `a folder that gives way to a link between two rows of the manifest lends no file`() throws {
        try self.folder.write("in/sub/a.jpg", "in/sub/b.jpg", "stranger/b.jpg")
        let source = FilePath(self.folder["in"])
        var locator = InputLocator(own: OwnFolder(nil), limit: 10)
        let first = locator.candidate(at: source.appending("sub/a.jpg"), origin: .row(0), within: source)
        #expect(first.finding == .file(FileIdentity(path: self.folder["in/sub/a.jpg"], try first.real.realStatus())))
        try self.exchange("in/sub")
        for name in ["a.jpg", "b.jpg"] {
            let found = locator.candidate(at: source.appending("sub/" + name), origin: .row(1), within: source)
            guard case .unusable = found.finding else {
                Issue.record("a photo outside of the source is listed")
                continue
            }
        }
    }

    @Test func `a sidecar is not read by way of a link that has taken the place of its folder`() throws {
        try self.folder.write("in/sub/a.jpg")
        try self.folder.write("in/sub/a.jpg.json", text: "{}")
        try self.folder.write("stranger/a.jpg.json", text: #"{"business_no": "S-1"}"#)
        var locator = InputLocator(own: OwnFolder(nil), limit: 10)
        let listed = try locator.candidates(of: [self.folder["in"]])
        try self.exchange("in/sub")
        var resolver = MetadataResolver(options: SubmittedFields(), rule: .folder)
        let error = #expect(throws: CodedError.self) {
            try resolver.item(try #require(listed.first), at: .address(Redacted("")))
        }
        #expect(error?.code == .sidecarInvalid)
    }

    @Test func `a folder that gives way to a link while the source is walked is not entered`() throws {
        try self.folder.write("in/sub/a.jpg", "stranger/s.jpg")
        let root = FilePath(self.folder["in"])
        var errors: [any Error] = []
        let watching = FolderWalk.Watching(
            ignores: { _, _ in false },
            entering: { folder, _ in
                guard folder.name == "sub" else { return nil }
                do { try self.exchange("in/sub") } catch { errors.append(error) }
                return nil
            }
        )
        var walk = FolderWalk(root: root, source: root, roots: [:], own: OwnFolder(nil), limit: 10, watching: watching)
        let found = try walk.candidates()
        #expect(errors.isEmpty)
        #expect(!found.contains { if case .file = $0.finding { true } else { false } })
    }

    @Test func `a link that stays inside of the source is resolved, and its file is read`() throws {
        try self.folder.write("in/store/a.jpg", bytes: [1, 2, 3])
        try self.folder.link("in/sub", to: "in/store")
        try self.folder.link("source", to: "in")
        try self.folder.write("in/manifest.csv", text: "path,business_no\nsub/a.jpg,B-1\n")
        let source = BatchSource(source: self.folder["source"], options: Listing.options())
        let item = try #require(try source.listing().items.first)
        guard case .file(let identity) = item.location else { throw POSIXError(.EINVAL) }
        #expect(identity.path.reveal() == self.folder["in/store/a.jpg"])
        #expect(try [UInt8](SourceFile.read(identity, limit: 10)) == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `a path is opened without following a link, by the system call and step by step`(isStepwise: Bool) throws {
        try self.folder.write("d/e/f.jpg")
        try self.folder.link("l", to: "d")
        try self.folder.link("d/g.jpg", to: "d/e/f.jpg")
        let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC
        func open(_ path: String, _ more: Int32 = 0) -> Int32 {
            let path = path.hasPrefix("/") ? path : self.folder[path]
            let descriptor = isStepwise ? idc_open_stepwise(path, flags | more) : idc_open_real(path, flags | more)
            guard descriptor >= 0 else { return errno }
            close(descriptor)
            return 0
        }
        for path in ["d/e/f.jpg", "d/e", "/"] { #expect(open(path) == 0) }
        for path in ["l/e/f.jpg", "d/g.jpg", "l"] { #expect(open(path) == ELOOP) }
        #expect(open("l", O_DIRECTORY) == ELOOP || !isStepwise)
        #expect(open("d/none") == ENOENT)
        #expect(open("d/e/f.jpg/x") == ENOTDIR)
        #expect(open(String(repeating: "x", count: 5000)) == ENAMETOOLONG)
    }
}

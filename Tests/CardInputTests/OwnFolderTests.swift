import CardModel
import Foundation
import Testing

@testable import CardInput

/// The folder of the sandbox among the inputs: nothing in it is one.
@Suite struct OwnFolderTests {
    private let folder = TemporaryFolder()

    init() throws {
        try self.folder.write("in/L-1/a.jpg", "in/box/sandbox.sqlite3", "in/box/documents/b.jpg", "in/box-2/c.jpg")
        try self.folder.link("in/L-1/link.jpg", to: "in/box/documents/b.jpg")
        try self.folder.link("in/other", to: "in/box/documents")
    }

    private func lines(_ path: String, sandbox: String = "in/box") throws -> [String] {
        var options = Listing.options(businessNumber: "N")
        options.sandbox = self.folder[sandbox]
        return try self.folder.listing(path, options: options).lines
    }

    @Test(arguments: ["in/box", "in/./box/", "in/x/../box"])
    func `A walk passes it over, and so it does with what links lead to`(sandbox: String) throws {
        try self.folder.makeFolder("in/x")
        #expect(
            try self.lines("in", sandbox: sandbox) == [
                "take N in/L-1/a.jpg", "refuse source_unreadable in/L-1/link.jpg", "take N in/box-2/c.jpg",
            ]
        )
        // One that is not there holds nothing.
        #expect(try self.lines("in", sandbox: "box").contains("take N in/box/sandbox.sqlite3"))
    }

    @Test func `A file of it is refused without being opened, however it is named`() throws {
        try self.folder.write(
            "m.csv",
            text: "path,business_no\nin/box/documents/b.jpg,L\nin/L-1/link.jpg,L\nin/L-1/a.jpg,L\n"
        )
        var options = Listing.options()
        options.sandbox = self.folder["in/box"]
        let listing = try Listing(self.folder, paths: [], manifest: self.folder["m.csv"], options: options)
        listing.expect([
            "refuse source_unreadable in/box/documents/b.jpg", "refuse source_unreadable in/L-1/link.jpg",
            "take L in/L-1/a.jpg",
        ])
        #expect(listing.messages.allSatisfy { $0.contains("belongs to the sandbox") })
        #expect(try self.lines("in/box/sandbox.sqlite3") == ["refuse source_unreadable in/box/sandbox.sqlite3"])
        // A pattern meets it in passing.
        #expect(try self.lines("in/bo*") == ["take N in/box-2/c.jpg"])
    }

    @Test(arguments: ["in/box", "in/box/documents", "in/other"])
    func `A folder that is or lies in it is not taken`(path: String) throws {
        let error = #expect(throws: CodedError.self) { try self.lines(path) }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.message.text().contains("is the sandbox or lies in it") == true)
    }
}

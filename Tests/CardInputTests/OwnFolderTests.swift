import CardModel
import Foundation
import Testing

@testable import CardInput

/// The folder of the sandbox among the inputs: nothing in it is one.
@Suite struct OwnFolderTests {
    private static func folder() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try folder.write("in/L-1/a.jpg", "in/box/sandbox.sqlite3", "in/box/documents/b.jpg", "in/box-2/c.jpg")
        try folder.link("in/L-1/link.jpg", to: folder["in/box/documents/b.jpg"])
        try folder.link("in/other", to: folder["in/box/documents"])
        return folder
    }

    private static func lines(_ folder: TemporaryFolder, _ paths: String..., sandbox: String) throws -> [String] {
        var options = Listing.options(businessNumber: "N")
        options.sandbox = folder[sandbox]
        return try Listing(folder, paths: paths.map { folder[$0] }, options: options).lines
    }

    @Test(arguments: ["in/box", "in/./box/", "in/x/../box"]
    )
    func `A walk passes it over, and so it does with what links lead to`(sandbox: String) throws {
        let folder = try Self.folder()
        try folder.makeFolder("in/x")
        #expect(
            try Self.lines(folder, "in", sandbox: sandbox) == [
                "take N in/L-1/a.jpg", "refuse source_unreadable in/L-1/link.jpg", "take N in/box-2/c.jpg",
            ]
        )
        // One that is not there holds nothing.
        #expect(try Self.lines(folder, "in", sandbox: "box").contains("take N in/box/sandbox.sqlite3"))
    }

    @Test func `A file of it is refused without being opened, however it is named`() throws {
        let folder = try Self.folder()
        try folder.write(
            "m.csv",
            text: "path,business_no\nin/box/documents/b.jpg,L\nin/L-1/link.jpg,L\nin/L-1/a.jpg,L\n"
        )
        var options = Listing.options()
        options.sandbox = folder["in/box"]
        let listing = try Listing(folder, paths: [], manifest: folder["m.csv"], options: options)
        #expect(
            listing.lines == [
                "refuse source_unreadable in/box/documents/b.jpg", "refuse source_unreadable in/L-1/link.jpg",
                "take L in/L-1/a.jpg",
            ]
        )
        #expect(listing.messages.allSatisfy { $0.contains("belongs to the sandbox") })
        #expect(
            try Self.lines(folder, "in/box/sandbox.sqlite3", sandbox: "in/box") == [
                "refuse source_unreadable in/box/sandbox.sqlite3"
            ]
        )
        // A pattern meets it in passing.
        #expect(try Self.lines(folder, "in/bo*", sandbox: "in/box") == ["take N in/box-2/c.jpg"])
    }

    @Test(arguments: ["in/box", "in/box/documents", "in/other"])
    func `A folder that is or lies in it is not taken`(path: String) throws {
        let folder = try Self.folder()
        let error = #expect(throws: CodedError.self) { try Self.lines(folder, path, sandbox: "in/box") }
        #expect(error?.code == .inputUnreadable)
        #expect(error?.message.text().contains("is or lies in the folder of the sandbox") == true)
    }
}

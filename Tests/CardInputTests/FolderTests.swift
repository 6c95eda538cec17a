import CardModel
import Foundation
import Glibc
import Testing

@testable import CardInput

/// What a folder named on the command line gives.
@Suite struct FolderTests {
    private let folder = TemporaryFolder()

    @Test
    func
        `A folder is walked with all below, sorted by bytes; the folders directly below it give numbers`()
        throws
    {
        try self.folder.write(
            "cards/b/z.jpg",
            "cards/a/2.jpg",
            "cards/a/10.jpg",
            "cards/a-1/x.jpg",
            "cards/a/deep/er/y.jpg",
            "cards/B/x.jpg"
        )
        #expect(
            try self.folder.lines("cards") == [
                "take B cards/B/x.jpg",
                "take a-1 cards/a-1/x.jpg",
                "take a cards/a/10.jpg",
                "take a cards/a/2.jpg",
                "refuse business_no_missing cards/a/deep/er/y.jpg",
                "take b cards/b/z.jpg",
            ]
        )
    }

    @Test func `A folder named on the command line lends no name, not even when it lies in another one`() throws {
        try self.folder.write("cards/LOAN-1/front.jpg", "cards/LOAN-2/front.jpg", "cards/flat.jpg")
        #expect(
            try self.folder.lines("cards") == [
                "take LOAN-1 cards/LOAN-1/front.jpg", "take LOAN-2 cards/LOAN-2/front.jpg",
                "refuse business_no_missing cards/flat.jpg",
            ]
        )
        #expect(
            try self.folder.lines("cards", "cards/LOAN-2") == [
                "take LOAN-1 cards/LOAN-1/front.jpg", "refuse business_no_missing cards/LOAN-2/front.jpg",
                "refuse business_no_missing cards/flat.jpg",
            ]
        )
    }

    @Test
    func `A flat folder of strangers is refused image by image, and the message tells the four ways to give a number`()
        throws
    {
        for index in 0..<10 { try self.folder.write("flat/\(index).jpg") }
        let listing = try self.folder.listing("flat")
        #expect(listing.lines == (0..<10).map { "refuse business_no_missing flat/\($0).jpg" })
        let message = try #require(listing.messages.first)
        for way in ["--business-no", "manifest", "IMAGE.json", "folder"] { #expect(message.contains(way)) }
    }

    @Test func `What file managers, servers and half-done copies leave behind is passed over, named once and counted`()
        throws
    {
        try self.folder.write(
            "c/L/.hidden.jpg",
            "c/L/.DS_Store",
            "c/L/Thumbs.db",
            "c/L/@eaDir/front.jpg",
            "c/.git/x.jpg",
            "c/L/a.jpg.part",
            "c/L/b.jpg.filepart",
            "c/L/c.jpg~",
            "c/L/front.jpg"
        )
        let listing = try self.folder.listing("c")
        #expect(listing.lines == ["take L c/L/front.jpg"])
        #expect(
            listing.list.passedOver == [".*": 3, "thumbs.db": 1, "@eadir": 1, "*.part": 1, "*.filepart": 1, "*~": 1]
        )
    }

    @Test func `In a folder, a file is an image by its name or by its first bytes; others are counted as ignored`()
        throws
    {
        try self.folder.write("c/L/scan", "c/L/photo.dat")
        try self.folder.write("c/L/text.jpg", text: "no image at all")
        try self.folder.write("c/L/notes.txt", text: "notes")
        try self.folder.write("c/L/empty", text: "")
        #expect(
            try self.folder.lines("c") == [
                "ignore c/L/empty", "ignore c/L/notes.txt", "take L c/L/photo.dat", "take L c/L/scan",
                "take L c/L/text.jpg",
            ]
        )
    }

    @Test func `A file whose name says that it is an image is not opened to decide that`() throws {
        try self.folder.write("c/L/front.jpg", "c/L/scan")
        try self.folder.write("c/L/unknown", text: "no image")
        let opened = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(opened) }
        #expect(inotify_add_watch(opened, self.folder["c/L"], UInt32(IN_OPEN)) >= 0)
        #expect(try self.folder.lines("c") == ["take L c/L/front.jpg", "take L c/L/scan", "ignore c/L/unknown"])
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(opened, &buffer, buffer.count)
        let events = buffer.withUnsafeBytes { InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        #expect(events.compactMap(\.name?.text) == ["scan", "unknown"])
    }

    @Test func `Pipes and sockets in a folder are never opened`() throws {
        try self.folder.write("c/L/front.jpg")
        #expect(mkfifo(self.folder["c/L/pipe.jpg"], 0o600) == 0)
        #expect(try self.folder.lines("c") == ["take L c/L/front.jpg", "ignore c/L/pipe.jpg"])
        let error = try #require(throws: CodedError.self) {
            try self.folder.listing("c/L/pipe.jpg")
        }
        #expect(error.code == .inputUnreadable)
    }

    @Test(arguments: ["line\nbreak", String(repeating: "9", count: 65), "   "]
    )
    func `A folder name that is no business number is refused as invalid`(_ name: String) throws {
        try self.folder.write("c/\(name)/front.jpg")
        #expect(try self.folder.lines("c") == ["refuse business_no_invalid c/\(name)/front.jpg"])
    }

    @Test func `A list without photos counts what is there instead`() throws {
        try self.folder.makeFolder("c/L")
        try self.folder.write("d/L/notes.txt", text: "notes")
        try self.folder.write("d/#recycle/a.jpg")
        let empty = try self.folder.listing("c").emptiness
        #expect(empty?.contains("0 files are no images, and 0 files or folders were passed over") == true)
        let other = try self.folder.listing("d").emptiness
        #expect(other?.contains("1 files are no images, and 1 files or folders were passed over") == true)
    }

    @Test func `A thousand files in nested folders are all found, each once`() throws {
        for loan in 0..<50 {
            try self.folder.makeFolder("c/LOAN-\(loan)")
            for index in 0..<20 { try self.folder.write("c/LOAN-\(loan)/\(index).jpg") }
        }
        let listing = try self.folder.listing("c", "c/")
        #expect(listing.items.count == 1000)
        #expect(Set(listing.items.map(\.path)).count == 1000)
        #expect(listing.metadata.count(where: { $0.businessNumber.rawValue == "LOAN-42" }) == 20)
    }

    @Test func `A folder below that cannot be listed is one refused input; the rest is taken`() throws {
        try self.folder.write("c/L/front.jpg")
        // A path longer than the system takes cannot be listed, by root neither.
        let deep = try DeepFolders(below: self.folder["c"], count: 22)
        defer { deep.remove() }
        let listing = try self.folder.listing("c")
        #expect(listing.lines.contains("take L c/L/front.jpg"))
        let refused = listing.lines.filter { $0.hasPrefix("refuse source_unreadable") }
        #expect(refused.count == 1)
        #expect(listing.messages.allSatisfy { !$0.contains("deep") })
    }
}

import CardModel
import Foundation
import Glibc
import Testing

@testable import CardInput

/// What a folder named on the command line gives.
@Suite struct FolderTests {
    private let folder = TemporaryFolder()

    @Test func `A folder is walked with all below, sorted by bytes; folders directly below it give numbers`() throws {
        try self.folder.write(
            "cards/b/z.jpg",
            "cards/a/2.jpg",
            "cards/a/10.jpg",
            "cards/a-1/x.jpg",
            "cards/a/deep/er/y.jpg",
            "cards/B/x.jpg"
        )
        try self.folder.listing("cards").expect([
            "take B cards/B/x.jpg",
            "take a-1 cards/a-1/x.jpg",
            "take a cards/a/10.jpg",
            "take a cards/a/2.jpg",
            "refuse business_no_missing cards/a/deep/er/y.jpg",
            "take b cards/b/z.jpg",
        ])
    }

    @Test func `In a folder, a file is an image by its name or its first bytes; others count as ignored`() throws {
        try self.folder.write("c/L/scan", "c/L/photo.dat")
        try self.folder.write("c/L/text.jpg", text: "no image at all")
        try self.folder.write("c/L/notes.txt", text: "notes")
        try self.folder.write("c/L/empty", text: "")
        try self.folder.listing("c").expect([
            "ignore c/L/empty", "ignore c/L/notes.txt", "take L c/L/photo.dat", "take L c/L/scan",
            "take L c/L/text.jpg",
        ])
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
        #expect(try self.folder.error("c/L/pipe.jpg").code == .inputUnreadable)
    }

    @Test func `A list without photos counts what is there instead`() throws {
        try self.folder.makeFolder("c/L")
        try self.folder.write("d/L/notes.txt", text: "notes")
        try self.folder.write("d/#recycle/a.jpg")
        let empty = try self.folder.listing("c").emptiness
        #expect(empty?.contains("files that are not images: 0; skipped because of their names: 0") == true)
        let other = try self.folder.listing("d").emptiness
        #expect(other?.contains("files that are not images: 1; skipped because of their names: 1") == true)
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

    // MARK: Names that were not made for programs

    @Test(arguments: [
        "new\nline.jpg", "身份证正面.jpg", "👩‍👩‍👧.jpg", "-rf.jpg", "a b\t.jpg", "\u{202E}gpj.exe.jpg", "*.jpg", "[1].jpg",
        "\\.jpg", "%s%n.jpg", "quo\"te'.jpg", "\u{301}.jpg",
    ])
    func `A name is carried as it is`(_ name: String) throws {
        try self.folder.write("c/L/\(name)")
        #expect(try self.folder.lines("c") == ["take L c/L/\(name)"])
        let named = try self.folder.listing("c/L/\(name)", options: Listing.options(businessNumber: "B"))
        #expect(named.lines == ["take B c/L/\(name)"])
        let item = try #require(named.items.first)
        #expect(Array(item.path.utf8) == Array(self.folder["c/L/\(name)"].utf8))
        #expect(access(item.path, R_OK) == 0)
    }

    @Test func `Two names that differ only in Unicode normalisation are two files`() throws {
        try self.folder.write("c/L/caf\u{E9}.jpg", "c/L/cafe\u{301}.jpg")
        let listing = try self.folder.listing("c")
        #expect(listing.metadata.count == 2)
        #expect(Set(listing.items.map { Array($0.path.utf8) }).count == 2)
    }

    @Test func `A name that is not UTF-8 is refused with words, each file for itself; nothing else suffers`() throws {
        try self.folder.write("c/L/front.jpg")
        for byte: UInt8 in [0xFF, 0xFE] {
            let path =
                (Array(self.folder["c/L/x"].utf8) + [byte] + Array(".jpg".utf8)).map { CChar(bitPattern: $0) } + [0]
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            close(descriptor)
        }
        let listing = try self.folder.listing("c")
        listing.expect([
            "take L c/L/front.jpg", "refuse source_unreadable c/L/x\u{FFFD}.jpg",
            "refuse source_unreadable c/L/x\u{FFFD}.jpg",
        ])
        #expect(listing.messages.allSatisfy { $0.contains("UTF-8") })
    }
}

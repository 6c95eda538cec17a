import CardInput
import CardModel
import Foundation
import Glibc
import Testing

/// File names that were not made for programs.
@Suite struct HostileNameTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        "new\nline.jpg", "身份证正面.jpg", "👩‍👩‍👧.jpg", "-rf.jpg", "a b\t.jpg", "\u{202E}gpj.exe.jpg", "*.jpg", "[1].jpg",
        "\\.jpg", "%s%n.jpg",
        "quo\"te'.jpg", "\u{301}.jpg",
    ]
    )
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
        #expect(
            listing.lines == [
                "take L c/L/front.jpg", "refuse source_unreadable c/L/x\u{FFFD}.jpg",
                "refuse source_unreadable c/L/x\u{FFFD}.jpg",
            ]
        )
        #expect(listing.messages.allSatisfy { $0.contains("UTF-8") })
    }

    @Test func `Inputs do not print their paths`() throws {
        try self.folder.write("c/王小明/身份证.jpg")
        let item = try #require(
            try self.folder.listing("c", options: Listing.options(businessNumber: "1")).items
                .first
        )
        var dumped = ""
        dump(item, to: &dumped)
        for text in ["\(item.place)", "\(item.name)", String(reflecting: item), dumped] {
            #expect(!text.contains("身份证") && !text.contains("王小明"))
        }
    }
}

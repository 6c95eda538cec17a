import CardModel
import Foundation
import Glibc
import Testing

@testable import CardInput

/// Reading what was listed, and nothing else.
@Suite struct SourceFileTests {
    private let folder = TemporaryFolder()

    private static func listed(_ folder: TemporaryFolder, _ path: String = "c") throws -> FileIdentity {
        let item = try #require(try Listing(folder, paths: [folder[path]]).items.first)
        guard case .file(let identity) = item.location else { throw POSIXError(.EINVAL) }
        return identity
    }

    @Test(arguments: [0, 1, 100_000]) func `A file that stands still is read whole`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try self.folder.write("c/L/a.jpg", bytes: bytes)
        let data = try SourceFile.read(try Self.listed(self.folder), limit: count)
        #expect([UInt8](data) == bytes)
    }

    @Test func `A file with more bytes than the limit is refused in words`() throws {
        try self.folder.write("c/L/a.jpg", bytes: [UInt8](repeating: 0, count: 11))
        let identity = try Self.listed(self.folder)
        let error = try #require(throws: CodedError.self) { try SourceFile.read(identity, limit: 10) }
        #expect(error.code == .sourceTooLarge)
        #expect("\(error.message)".contains("11 bytes, more than 10 bytes; save the photo smaller or raise imaging"))
    }

    /// What may happen to a file between its listing and its reading.
    enum Change: CaseIterable {
        case link, linkToItself, otherFile, grown, rewritten, folderExchanged, folderLinked, folder, pipe, gone,
            folderGone
    }

    @Test(arguments: Change.allCases)
    func `Whatever takes the place of a listed file is not read`(change: Change) throws {
        try self.folder.write("c/L/a.jpg", "stranger/a.jpg")
        let identity = try Self.listed(self.folder)
        let path = self.folder["c/L/a.jpg"]
        if ![.grown, .rewritten, .folderExchanged, .folderLinked, .folderGone].contains(change) {
            #expect(rename(path, self.folder["kept.jpg"]) == 0)
        }
        switch change {
        case .link: try self.folder.link("c/L/a.jpg", to: "stranger/a.jpg")
        case .linkToItself: try self.folder.link("c/L/a.jpg", to: "kept.jpg")
        case .otherFile: try self.folder.write("c/L/a.jpg")
        case .grown: try self.folder.write("c/L/a.jpg", bytes: [0xFF, 0xD8, 0xFF, 0xE0, 0])
        case .rewritten: try self.folder.setTime("c/L/a.jpg", 1)
        case .folderExchanged:
            #expect(rename(self.folder["c/L"], self.folder["kept"]) == 0)
            try self.folder.link("c/L", to: "stranger")
        case .folderLinked:
            // The very file, by way of a link.
            #expect(rename(self.folder["c/L"], self.folder["kept"]) == 0)
            try self.folder.link("c/L", to: "kept")
        case .folder: try self.folder.makeFolder("c/L/a.jpg")
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .gone: break
        case .folderGone: #expect(rename(self.folder["c/L"], self.folder["kept"]) == 0)
        }
        let error = try #require(throws: CodedError.self) { try SourceFile.read(identity, limit: 1000) }
        let isUnreadable = [.folder, .pipe, .gone, .folderGone].contains(change)
        #expect(error.code == (isUnreadable ? .sourceUnreadable : .sourceChanged))
        // What has changed is taken in by the next run, with all photos of its number.
        #expect(error.kind == (isUnreadable ? .input : .temporary))
        #expect(!"\(error)".contains(self.folder.path))
    }

    @Test func `A link that was listed is read by the file it led to then`() throws {
        try self.folder.write("c/.store/abc", bytes: [1, 2, 3])
        try self.folder.write("c/.store/def", bytes: [4, 5, 6])
        try self.folder.link("c/L/a.jpg", to: "c/.store/abc")
        let identity = try Self.listed(self.folder)
        #expect(identity.path.reveal() == self.folder["c/.store/abc"])
        #expect(unlink(self.folder["c/L/a.jpg"]) == 0)
        try self.folder.link("c/L/a.jpg", to: "c/.store/def")
        #expect(try [UInt8](SourceFile.read(identity, limit: 10)) == [1, 2, 3])
    }
}

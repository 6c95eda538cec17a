import CardModel
import Foundation
import Testing

/// Real files: whole and durable, or as they were.
@Suite struct DurableFileTests {
    /// A folder that is removed with the test.
    private final class Folder {
        let path: String

        init() throws {
            self.path = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID())").path
            try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(atPath: self.path) }

        func content(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: "\(self.path)/\(name)").map(Array.init)
        }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: self.path).sorted()) ?? [] }

        func mode(_ name: String = "") throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(self.path)/\(name)")
            return try #require(attributes[.posixPermissions] as? Int)
        }
    }

    @Test(arguments: [0, 1, 70_000, 3_000_000])
    func `A file takes the place of another, with its mode, and leaves nothing beside it`(count: Int) throws {
        let folder = try Folder()
        let bytes = [UInt8](repeating: 7, count: count)
        try DurableFile.replace(folder.path + "/a", with: [1, 2, 3])
        #expect(try folder.content("a") == [1, 2, 3] && folder.mode("a") == 0o600)
        try DurableFile.replace(folder.path + "/a", with: bytes, mode: 0o644)
        #expect(try folder.content("a") == bytes && folder.mode("a") == 0o644)
        #expect(folder.names == ["a"])
    }

    @Test func `What an interrupted writer left beside the place is no obstacle, not even a link`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/other", with: [9])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/a.part",
            withDestinationPath: folder.path + "/other"
        )
        try DurableFile.replace(folder.path + "/a", with: [1])
        #expect(folder.content("a") == [1] && folder.content("other") == [9])
        #expect(folder.names == ["a", "other"])
    }

    @Test func `A failure leaves the old file, and names the path and the cause`() throws {
        let folder = try Folder()
        try DurableFile.replace(folder.path + "/a", with: [1])
        // Nothing can be written beside the file while a folder has the name of what is written first.
        try FileManager.default.createDirectory(atPath: folder.path + "/a.part", withIntermediateDirectories: false)
        let error = try #require(throws: CodedError.self) { try DurableFile.replace(folder.path + "/a", with: [2]) }
        #expect(error.code.rawValue == "file_not_written" && error.kind == .storage)
        #expect(error.message.text().hasPrefix("cannot write \(folder.path)/a.part: it exists; remove it"))
        #expect(!error.description.contains(folder.path))
        #expect(folder.content("a") == [1])
    }

    @Test func `A file does not take the place of a folder, and what was written for it is removed`() throws {
        let folder = try Folder()
        try DurableFile.makeFolders(folder.path + "/b/c", mode: 0o700)
        #expect(throws: CodedError.self) { try DurableFile.replace(folder.path + "/b", with: [2]) }
        #expect(folder.names == ["b"])
        #expect(throws: CodedError.self) { try DurableFile.replace(folder.path + "/none/a", with: [2]) }
    }

    @Test func `Folders are made with their mode, and one that is there stays as it is`() throws {
        let folder = try Folder()
        try DurableFile.makeFolders(folder.path + "/x/y", mode: 0o777)
        #expect(try folder.mode("x") == 0o777 && folder.mode("x/y") == 0o777, "whatever the umask")
        try DurableFile.makeFolders(folder.path + "/x", mode: 0o700)
        #expect(try folder.mode("x") == 0o777)
        try DurableFile.replace(folder.path + "/file", with: [])
        #expect(throws: CodedError.self) { try DurableFile.makeFolders(folder.path + "/file/x", mode: 0o700) }
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/c", "a/b")])
    func `The folder of a path is what stands before its last slash`(path: String, folder: String) {
        #expect(DurableFile.folder(of: path) == folder)
    }
}

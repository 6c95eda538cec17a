import Foundation
import IDCardSandbox
import SystemPackage
import Testing

@testable import IDCardApp

@Suite("The key file")
struct KeyFileTests {
    private let folder: ConfigurationFolder
    private let file: KeyFile

    init() throws {
        self.folder = try ConfigurationFolder()
        self.file = KeyFile(path: self.folder.path + "/deep/er/the.key")
    }

    private func mode(of path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("It is made with its folder, closed to others, and holds the key")
    func made() throws {
        let key = VaultKey.random()
        #expect(try self.file.create(key))
        #expect(try self.file.read() == KeyRing(key))
        #expect(try self.mode(of: self.file.path) == 0o600)
        #expect(try self.mode(of: self.folder.path + "/deep/er") == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path + "/deep/er") == ["the.key"])
    }

    @Test("Of several that make it at once one wins, and its key is what all read")
    func race() async throws {
        let file = self.file
        let winners = try await withThrowingTaskGroup(of: VaultKey?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let key = VaultKey.random()
                    return try file.create(key) ? key : nil
                }
            }
            return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(winners.count == 1)
        #expect(try self.file.read().keys == winners)
    }

    @Test("It is replaced whole, through a link too")
    func replaced() throws {
        let (one, two) = (VaultKey.random(), VaultKey.random())
        _ = try self.file.create(one)
        let link = KeyFile(path: self.folder.path + "/link.key")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: self.file.path)
        let both = try #require(KeyRing([two, one]))
        try link.replace(with: both)
        #expect(try self.file.read() == both)
        #expect(try link.read() == both)
        #expect(try self.mode(of: self.file.path) == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == self.file.path)
    }

    @Test("One who changes it keeps others out for as long")
    func locked() throws {
        _ = try self.file.create(.random())
        let lock = try self.file.lock()
        let error = #expect(throws: ConfigurationError.Problem.self) { try self.file.lock() }
        #expect(error?.code == .secretUnwritable)
        try lock.close()
        try self.file.lock().close()
    }

    @Test("What a killed process left of its writing goes, and nothing else")
    func leftovers() throws {
        let key = VaultKey.random()
        _ = try self.file.create(key)
        try self.file.retired(key).keep(key)
        let left = [".\(UUID().uuidString).new", ".retired-\(key.id).\(UUID().uuidString).new"]
        let others = [".mine.new", ".\(UUID().uuidString)"]
        for name in left + others { try Data("key".utf8).write(to: URL(filePath: self.file.path + name)) }
        try self.file.removeLeftovers()
        for name in left { #expect(!FileManager.default.fileExists(atPath: self.file.path + name)) }
        for name in others { #expect(FileManager.default.fileExists(atPath: self.file.path + name)) }
        #expect(try self.file.read() == KeyRing(key))
        #expect(self.file.retired(key).exists)
    }

    @Test("The keys retired beside it are found, each once; what cannot be read there is passed over")
    func retiredKeys() throws {
        let (one, two) = (VaultKey.random(), VaultKey.random())
        _ = try self.file.create(two)
        try self.file.retired(one).keep(one)
        try self.file.retired(two).keep(two)
        try Data("nonsense".utf8).write(to: URL(filePath: self.file.path + ".retired-other"))
        #expect(self.file.retiredKeys(besides: KeyRing(two)) == [one])
    }

    @Test("A retired key is kept once, and another key in its place is not taken for it")
    func retired() throws {
        let key = VaultKey.random()
        let retired = self.file.retired(key)
        #expect(retired.path.hasSuffix("the.key.retired-\(key.id)"))
        try retired.keep(key)
        try retired.keep(key)
        #expect(try retired.read() == KeyRing(key))
        let error = #expect(throws: ConfigurationError.Problem.self) { try retired.keep(.random()) }
        #expect(error?.code == .secretUnwritable)
    }
}

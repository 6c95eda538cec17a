import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Looking at a sandbox changes nothing.
struct ReadOnlyTests {
    let folder = SandboxFolder()

    @Test("looking at a sandbox that is not there makes none", arguments: [true, false])
    func missing(readOnly: Bool) {
        let error = #expect(throws: StoreError.self) { try self.folder.open(nil, readOnly: readOnly) }
        #expect(error?.code == .notFound)
        #expect(!FileManager.default.fileExists(atPath: self.folder.path))
    }

    @Test("the cards are seen beside a store that writes, and after it was closed")
    func looks() async throws {
        let store = try self.folder.open()
        let looking = try self.folder.open(nil, readOnly: true)
        _ = try await store.admit(.sample(1), now: .second(1))
        #expect(try await looking.stateCounts() == [.prepared: 1])
        try await looking.close()
        try await store.close()
        let later = try self.folder.open(nil, readOnly: true)
        #expect(try await later.stateCounts() == [.prepared: 1])
        #expect(later.endpoints == .embedded)
    }

    @Test("nothing can be written, and no owner is made")
    func writesNothing() async throws {
        try await self.folder.open().close()
        let looking = try self.folder.open(nil, readOnly: true)
        let error = await #expect(throws: StoreError.self) { try await looking.admit(.sample(1), now: .second(1)) }
        #expect(error?.code == .unavailable)
        let claim = await #expect(throws: StoreError.self) { try await looking.releaseLeases() }
        #expect(claim?.code == .unavailable)
        #expect(try self.folder.owners() == [])
    }

    @Test("a journal that a killed process left is rolled back before anybody looks")
    func leftJournal() async throws {
        let store = try self.folder.open()
        for number in 1...5 { _ = try await store.admit(.sample(number), now: .second(1)) }
        try await store.close()
        let left = SandboxFolder()
        try self.folder.raw { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            // With next to no cache, changed pages reach the file, and the journal the disk, before the commit.
            try db.execute(sql: "PRAGMA cache_size = 1")
            try db.inTransaction {
                try db.execute(sql: "UPDATE image SET jpeg = zeroblob(length(jpeg))")
                try FileManager.default.copyItem(atPath: self.folder.path, toPath: left.path)
                return .rollback
            }
        }
        #expect(FileManager.default.fileExists(atPath: left.database + "-journal"))
        let looking = try left.open(nil, readOnly: true)
        #expect(try await looking.stateCounts() == [.prepared: 5])
        #expect(!FileManager.default.fileExists(atPath: left.database + "-journal"))
    }
}

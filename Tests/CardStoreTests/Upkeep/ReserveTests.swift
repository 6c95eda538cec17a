import CardModel
import Foundation
import Synchronization
import Testing

@testable import CardStore

@Suite final class ReserveTests: StoreSuite {
    @Test func `a change that finds no room is made again on the reserve, which is made again later`() async throws {
        #expect(harness.store.reserve.isWhole)
        let tries = Mutex(0)
        let value = try await harness.store.database.write { _ in
            let count = tries.withLock { count in
                count += 1
                return count
            }
            if count == 1 { throw DatabaseError(.full, "no room") }
            return count
        }
        #expect(value == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(harness.folder)/reserve"))
        try await harness.store.heartbeat(of: harness.worker, now: harness.now)
        #expect(harness.store.reserve.isWhole)
    }

    @Test func `without a reserve a full disk is said, and other changes go on`() async throws {
        #expect(harness.store.reserve.giveUp())
        let database = harness.store.database
        async let full = code {
            try await CardStore.translating { try await database.write { _ in throw DatabaseError(.full, "no room") } }
        }
        async let other = database.write { _ in 7 }
        let (code, value) = try await (full, other)
        #expect(code == .diskSpaceLow)
        #expect(value == 7)
    }

    @Test func `an erasure makes a reserve again that was given up, with nobody else at work`() async throws {
        let cards = try await harness.admitTwo()
        try await harness.store.end(harness.worker, now: harness.now)
        for card in cards {
            #expect(harness.store.reserve.giveUp())
            try await harness.erase(card)
            #expect(harness.store.reserve.isWhole)
        }
    }

    @Test func `a database that may not grow has a photo refused and a card erased`() async throws {
        let cards = try await harness.admitTwo()
        try await harness.plant("PRAGMA max_page_count = 1")
        var photo = harness.photo("large", number: "M")
        photo.content = .received(Data(count: 1 << 20))
        #expect(await code { try await harness.admit(photo) } == .diskSpaceLow)
        #expect(try await harness.store.counts() == [.prepared: 2])
        #expect(harness.store.reserve.isWhole, "what takes more in does not use it up")
        // The disk fills up again and again: each erasure uses the reserve up, and makes it again.
        for card in cards {
            try await harness.plant("PRAGMA max_page_count = 1")
            try await harness.erase(card)
            #expect(try await harness.state(card) == "erased requested")
            #expect(harness.store.reserve.isWhole)
        }
        #expect(try await harness.findings() == [])
    }

    @Test func `as the disk fills up, intake stops first and verification next`() async throws {
        let free = harness.store.freeBytes
        #expect(harness.store.room(intakeFreeSpace: 0) == .ample)
        #expect(harness.store.room(intakeFreeSpace: free * 2) == .noIntake)
        #expect(DiskRoom(free: 65 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .noIntake)
        #expect(DiskRoom(free: 63 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .finishingOnly)
        #expect(DiskRoom(free: 300 << 20, intakeFreeSpace: 256 << 20, hasReserve: false) == .noIntake)
        #expect(DiskRoom(free: 300 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .ample)
    }
}

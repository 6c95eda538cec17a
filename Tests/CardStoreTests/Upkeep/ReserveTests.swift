import CardModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CardStore

@Suite final class ReserveTests: StoreSuite {
    @Test func `a change that finds no room is made again on the reserve, which is made again later`() async throws {
        #expect(harness.store.intake.reserve.isWhole)
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
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
        #expect(harness.store.intake.reserve.isWhole)
    }

    @Test func `without a reserve a full disk is said, and other changes go on`() async throws {
        #expect(harness.store.intake.reserve.giveUp())
        let database = harness.store.database
        async let full = code {
            try await Sandbox.translating { try await database.write { _ in throw DatabaseError(.full, "no room") } }
        }
        async let other = database.write { _ in 7 }
        let (code, value) = try await (full, other)
        #expect(code == .diskSpaceLow)
        #expect(value == 7)
    }

    @Test func `an erasure makes a reserve again that was given up, with nobody else at work`() async throws {
        let cards = try await harness.admitTwo()
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        for card in cards {
            #expect(harness.store.intake.reserve.giveUp())
            try await harness.erase(card)
            #expect(harness.store.intake.reserve.isWhole)
        }
    }

    @Test func `a database that may not grow has a photo refused and a card erased`() async throws {
        let cards = try await harness.admitTwo()
        try await harness.plant("PRAGMA max_page_count = 1")
        var photo = harness.photo("large", number: "M")
        photo.content = .received(Data(count: 1 << 20))
        #expect(await code { try await harness.admit(photo) } == .diskSpaceLow)
        #expect(try await harness.store.listings.counts() == [.prepared: 2])
        #expect(harness.store.intake.reserve.isWhole, "what takes more in does not use it up")
        // The disk fills up again and again: each erasure uses the reserve up, and makes it again.
        for card in cards {
            try await harness.plant("PRAGMA max_page_count = 1")
            try await harness.erase(card)
            #expect(try await harness.state(card) == "erased requested")
            #expect(harness.store.intake.reserve.isWhole)
        }
        #expect(try await harness.findings() == [])
    }

    /// SQLite's extended code, the system's error behind it, and what they mean.
    private static let errors: [(code: Int32, errno: Int32?, kind: DatabaseError.Kind)] = [
        (SQLite.full, nil, .full), (SQLite.write, ENOSPC, .full), (SQLite.write, EDQUOT, .full),
        (SQLite.write, EFBIG, .full), (SQLite.write, EIO, .unavailable), (SQLite.write, nil, .full),
        (SQLite.sharedMemorySize, EDQUOT, .full), (SQLite.read, EIO, .unavailable),
        (SQLite.flush, EDQUOT, .outcomeUnknown), (SQLite.cannotOpen, EACCES, .unavailable),
    ]

    private enum SQLite {
        static let full: Int32 = 13
        static let cannotOpen: Int32 = 14
        static let read: Int32 = 266
        static let write: Int32 = 778
        static let flush: Int32 = 1034
        static let sharedMemorySize: Int32 = 4874
    }

    @Test(arguments: Self.errors.indices)
    func `a quota and a limit on file sizes are a full disk, a failed flush never is`(index: Int) {
        let (code, errno, kind) = Self.errors[index]
        #expect(DatabaseError(code: code, text: "", errno: errno).kind == kind)
    }

    @Test func `at a limit on file sizes a photo is refused in words, and is taken in once there is room`() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGXFSZ, SIG_IGN)
            let harness = try await StoreHarness()
            var photo = harness.photo("large", number: "M")
            photo.content = .received(Data(count: 8 << 20))
            func setLimit(_ bytes: rlim_t) {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                limit.rlim_cur = min(bytes, limit.rlim_max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            setLimit(4 << 20)
            do {
                try await harness.admit(photo)
                exit(1)
            } catch let error as CodedError {
                guard error.code == .diskSpaceLow, error.message.text().contains("ulimit -f") else { exit(2) }
            }
            guard harness.store.intake.reserve.isWhole else { exit(3) }
            setLimit(1)
            do {
                try ErasureList(path: "\(harness.folder)/erasures.jsonl").append([
                    ErasureList.Entry(card: CardID(rawValue: "a"), reason: nil)
                ])
                exit(5)
            } catch let error as DatabaseError {
                guard error.kind == .full else { exit(6) }
            }
            setLimit(.max)
            try await harness.admit(photo)
            exit(try await harness.findings().isEmpty ? 42 : 4)
        }
    }

    @Test func `as the disk fills up, intake stops first and verification next`() async throws {
        let free = harness.store.intake.freeBytes
        #expect(harness.store.intake.room(intakeFreeSpace: 0) == .ample)
        #expect(harness.store.intake.room(intakeFreeSpace: free * 2) == .noIntake)
        #expect(DiskSpace(free: 65 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .noIntake)
        #expect(DiskSpace(free: 63 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .finishingOnly)
        #expect(DiskSpace(free: 300 << 20, intakeFreeSpace: 256 << 20, hasReserve: false) == .noIntake)
        #expect(DiskSpace(free: 300 << 20, intakeFreeSpace: 256 << 20, hasReserve: true) == .ample)
    }
}

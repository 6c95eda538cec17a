import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// How much room there is, and what happens when there is none.
struct DiskTests {
    let folder = SandboxFolder()

    private static let tooMuch = Int.max / 4

    @Test("the watermarks tell what may go on")
    func watermarks() async throws {
        var storage = SandboxFolder.storage
        #expect(try await self.folder.open(storage: storage).space() == .ample)
        storage.intakeFreeSpace = Self.tooMuch
        let low = try await self.folder.open(storage: storage).space()
        #expect(!low.allowsIntake)
        #expect(low.allowsVerification)
        #expect(low.message?.contains("sandbox.intake_free_space") == true)
        storage.workFreeSpace = Self.tooMuch
        let critical = try await self.folder.open(storage: storage).space()
        #expect(!critical.allowsIntake)
        #expect(!critical.allowsVerification)
        #expect(critical.message?.contains("sandbox.work_free_space") == true)
        #expect(critical.message?.contains(self.folder.path) == false)
    }

    @Test("the quota counts what is in use, not what was erased")
    func quota() async throws {
        var storage = SandboxFolder.storage
        storage.maximumBytes = 3 << 20
        let store = try self.folder.open(storage: storage)
        for number in 1...40 { _ = try await store.admit(.sample(number, byteCount: 100_000), now: .second(1)) }
        let full = await store.space()
        #expect(!full.allowsIntake)
        #expect(full.allowsVerification)
        #expect(full.message?.contains("sandbox.max_bytes") == true)
        let readiness = try await store.readiness()
        #expect(!readiness.isReady)
        #expect(readiness.usedBytes >= 4_000_000)
        #expect(readiness.maximumBytes == 3 << 20)
        try await store.writer.write { try $0.execute(sql: "DELETE FROM card") }
        #expect(try await store.writer.emptyLog(waiting: .seconds(1)))
        #expect(await store.space() == .ample)
    }

    @Test("the ballast is as large as asked for, takes up room, and goes when it is not wanted")
    func ballast() async throws {
        var storage = SandboxFolder.storage
        for size in [1 << 20, 512 << 10, 0, 256 << 10] {
            storage.ballast = size
            let store = try self.folder.open(storage: storage)
            var status = stat()
            let exists = stat(self.folder.path + "/ballast", &status) == 0
            #expect(exists == (size > 0))
            if size > 0 {
                #expect(Int(status.st_size) == size)
                #expect(Int(status.st_blocks) * 512 >= size)
                #expect(status.st_mode & 0o777 == 0o600)
            }
            #expect(try await store.readiness().hasReserve)
            try await store.close()
        }
    }

    @Test("a ballast that was given up is missed until there is room for a new one")
    func givenUp() async throws {
        var storage = SandboxFolder.storage
        let store = try self.folder.open(storage: storage)
        #expect(store.disk.giveUpBallast())
        #expect(!store.disk.giveUpBallast())
        storage.workFreeSpace = Self.tooMuch
        // Another process finds no room: small changes pass, a large one is refused at once.
        let other = try self.folder.open(storage: storage)
        #expect(try await !other.readiness().hasReserve)
        let error = await #expect(throws: StoreError.self) {
            try await other.admit(.sample(1, byteCount: 100_000), now: .second(1))
        }
        #expect(error?.code == .diskFull)
        _ = try await other.reserveIntakeOrders(1)
        _ = try await store.admit(.sample(1, byteCount: 100_000), now: .second(1))
        #expect(FileManager.default.fileExists(atPath: self.folder.path + "/ballast"))
    }

    @Test("what there is room for of a ballast that was given up is kept again when the sandbox is closed")
    func keptAtTheEnd() async throws {
        var storage = SandboxFolder.storage
        // No room for all work: while the sandbox is open a new ballast is not made.
        storage.workFreeSpace = Self.tooMuch
        let store = try self.folder.open(storage: storage)
        _ = store.disk.giveUpBallast()
        #expect(try await !store.readiness().hasReserve)
        try await store.close()
        var status = stat()
        #expect(stat(self.folder.path + "/ballast", &status) == 0)
        #expect(Int(status.st_size) == storage.ballast)
    }

    @Test("readiness tells the figures, and that all is well")
    func readiness() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let readiness = try await store.readiness()
        #expect(readiness.isReady)
        #expect(readiness.synchronousLevel == 2)
        #expect(readiness.failure == nil)
        #expect(readiness.logBytes > 0)
        #expect(readiness.usedBytes > 40_000)
        #expect(readiness.freeBytes > 0)
        let looking = try self.folder.open(nil, readOnly: true)
        let seen = try await looking.readiness()
        #expect(seen.isReady)
        #expect(seen.synchronousLevel == nil)
        #expect(seen.usedBytes == readiness.usedBytes)
    }
}

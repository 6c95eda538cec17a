import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What was acknowledged is there, whoever else writes and however the process ends.
struct DurabilityTests {
    let folder = SandboxFolder()

    @Test("a sandbox opened again holds everything")
    func reopened() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let delivery = try await store.beginSampleDelivery()
        let members = try await store.conclude(
            delivery.id,
            as: .delivered(code: "0000"),
            attempt: AttemptRecord(failureClass: .accepted, code: "0000", httpStatus: 200, startedAt: .second(4)),
            number: 1,
            now: .second(5)
        )
        let details = try await store.details(of: members[0].id)
        let image = try await store.preparedImage(of: members[0].id)
        let snapshot = try await store.snapshot(of: delivery.businessNumbers[0])
        try await store.close()
        let again = try self.folder.open()
        #expect(try await again.details(of: members[0].id) == details)
        #expect(try await again.preparedImage(of: members[0].id) == image)
        #expect(try await again.snapshot(of: delivery.businessNumbers[0]) == snapshot)
        #expect(try await again.reserveIntakeOrders(1) == 1)
        #expect(try self.folder.raw { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
    }

    @Test("a delivery whose attempt was cut off may have been received")
    func cutOff() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        var delivery = try await store.beginSampleDelivery()
        try await store.close()
        let again = try self.folder.open()
        #expect(try await again.reclaimLeases(now: .second(5)) == 1)
        delivery.mayHaveBeenReceived = true
        delivery.awaitsDecision = true
        delivery.lastAttempt = 1
        #expect(try await again.claimDeliveries(limit: 1, until: .second(99), now: .second(5)) == [delivery])
    }

    @Test("two stores write at the same time and neither finds the database locked")
    func twoWriters() async throws {
        let stores = [try self.folder.open(), try self.folder.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...60 {
                group.addTask {
                    let store = stores[number % 2]
                    _ = try await store.admit(.sample(number), now: .second(1))
                    _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].stateCounts() == [.prepared: 60])
        #expect(try await stores[1].nextDue(for: .verify) == nil)
    }

    @Test("work of a cancelled task is written down all the same")
    func cancelled() async throws {
        let store = try self.folder.open()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.admit(.sample(1), now: .second(1))
        }
        _ = try await task.value
        #expect(try await store.stateCounts() == [.prepared: 1])
    }

    @Test("paths and digests of sources stand in no file of the sandbox")
    func fingerprints() async throws {
        let store = try self.folder.open()
        let file = FileIdentity(path: "/inbox/zhang-san.jpg", device: 1, inode: 2, size: 3, modifiedNanoseconds: 4)
        let admission = try Admission.sample(1, file: file)
        _ = try await store.admit(admission, now: .second(1))
        for name in ["sandbox.sqlite3", "sandbox.sqlite3-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: self.folder.path + "/" + name))
            #expect(bytes.range(of: Data("zhang-san".utf8)) == nil)
            #expect(bytes.range(of: admission.sourceDigest.bytes) == nil)
        }
        #expect(try await store.card(ofFile: file, businessNumber: admission.metadata.businessNumber) != nil)
    }
}

import CardModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CardStore

@Suite struct KeyRotationTests {
    /// A sandbox with cards on which nobody works.
    let harness: StoreHarness
    let id: CardID

    init() async throws {
        self.harness = try await StoreHarness()
        self.id = try await self.harness.verified("front", number: "N", .front)
        try await self.harness.admit("other", number: "M")
        try await self.harness.store.upkeep.stop(self.harness.worker, now: self.harness.now)
    }

    @discardableResult
    private func rotate(
        to key: VaultKey = .random(),
        storing: () async throws -> Void = {},
        retiring: () throws -> Void = {}
    ) async throws -> KeyRotation {
        try await harness.store.upkeep.rotateKeys(
            to: key,
            by: StoreHarness.person,
            storing: storing,
            retiring: retiring
        )
    }

    /// Whether everything in it opens with a ring.
    private func opens(_ ring: KeyRing) async throws -> Bool {
        do {
            let store = try await harness.another(ring)
            defer { try? store.close() }
            return try await store.upkeep.check() == []
        } catch let error as CodedError where error.code == .wrongKey {
            return false
        }
    }

    @Test func `after a rotation the new key alone opens every card, the same bytes are still known`() async throws {
        let new = VaultKey.random()
        let old = try #require(
            try await harness.value("SELECT wrapped FROM card_key WHERE card = \(id)", as: Data.self)
        )
        #expect(try await rotate(to: new) == KeyRotation(keyID: new.id, rewrapped: 2, damaged: 0))
        #expect(try harness.files(holding: old) == [])
        try harness.store.close()
        #expect(try await opens(KeyRing(new)))
        #expect(try await !opens(KeyRing(harness.key)))
        harness.store = try await harness.another(KeyRing(new))
        #expect(try await harness.store.upkeep.keyInUse() == new.id)
        #expect(try await harness.admit("front", number: "N").isDuplicate)
    }

    @Test func `a process at work is named, and nothing is changed`() async throws {
        harness.worker = try await harness.store.upkeep.startWorker(id: "w2", command: "run", now: harness.now)
        var wasStored = false
        let error = await #expect(throws: CodedError.self) { try await rotate { wasStored = true } }
        #expect(error?.code == .sandboxBusy)
        #expect(error?.message.text().hasPrefix("run (process \(getpid()))") == true)
        #expect(!wasStored)
        #expect(try await harness.store.upkeep.keyInUse() == harness.key.id)
    }

    @Test func `a new key that cannot be stored changes nothing`() async throws {
        await #expect(throws: CocoaError.self) { try await rotate { throw CocoaError(.fileWriteUnknown) } }
        #expect(try await harness.store.upkeep.keyInUse() == harness.key.id)
    }

    @Test func `a key that stands before the one in use wraps nothing before the rotation`() async throws {
        try harness.store.close()
        let new = VaultKey.random()
        let both = try #require(KeyRing([new, harness.key]))
        harness.store = try await harness.another(both)
        let stale = try await harness.another(both)
        harness.worker = try await harness.store.upkeep.startWorker(id: "w2", command: "run", now: harness.now)
        try await harness.admit("late", number: "L")
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        #expect(try await opens(KeyRing(harness.key)))
        try await rotate(to: new)
        // It would go on with the old key, which it knows, too.
        await #expect(throws: CodedError.self) {
            try await stale.upkeep.startWorker(id: "w3", command: "run", now: harness.now)
        }
        try stale.close()
        try harness.store.close()
        #expect(try await opens(KeyRing(new)))
        harness.store = try await harness.another(KeyRing(new))
    }

    @Test(arguments: ["wrapped = x'00'", "key_id = 'none'"])
    func `a data key that is damaged stays, and the others leave the old key`(damage: String) async throws {
        try await harness.plant("UPDATE card_key SET \(damage) WHERE card = '\(id)'")
        let new = VaultKey.random()
        #expect(try await rotate(to: new) == KeyRotation(keyID: new.id, rewrapped: 1, damaged: 1))
        #expect(try await harness.store.upkeep.keyInUse() == new.id)
        try harness.store.close()
        // The next rotation is one of its own, which needs no older key.
        harness.store = try await harness.another(KeyRing(new))
        let next = VaultKey.random()
        #expect(try await rotate(to: next) == KeyRotation(keyID: next.id, rewrapped: 1, damaged: 1))
    }

    @Test func `whoever opened the sandbox before the key changed does not begin to work`() async throws {
        let other = try await harness.another()
        try await rotate()
        let error = await #expect(throws: CodedError.self) {
            try await other.upkeep.startWorker(id: "late", command: "run", now: harness.now)
        }
        #expect(error?.code == .sandboxBusy)
        #expect(error?.message.text().hasPrefix("the key of the sandbox changed") == true)
        // It leaves nothing behind that would look like a process at work.
        #expect(try await other.upkeep.workers().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(harness.folder)/workers") == [])
        try other.close()
    }

    @Test(arguments: RotationStep.allCases)
    func `killed at any step, the sandbox opens with the key file as it is then`(step: RotationStep) async throws {
        try harness.store.close()
        let file = "\(harness.folder)/key"
        let new = VaultKey.random()
        try harness.key.reveal().write(toFile: file, atomically: true, encoding: .utf8)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = harness.arguments(step, new.reveal(), file) as [String]] in
            let process = KilledProcess(arguments: arguments)
            guard let new = VaultKey(text: process.rest[0]) else { return }
            let store = try await process.open()
            _ = try await store.upkeep.rotateKeys(
                to: new,
                by: StoreHarness.person,
                storing: {
                    let text = "\(process.rest[0])\n\(arguments[1])"
                    try text.write(toFile: process.rest[1], atomically: true, encoding: .utf8)
                },
                reached: { process.reach($0) }
            )
        }
        let ring = try KeyRing(text: String(contentsOfFile: file, encoding: .utf8))
        #expect(ring.current == new)
        #expect(try await opens(ring))
        #expect(try await opens(KeyRing(new)) == (step == .committed))
        // The next one ends what was begun.
        harness.store = try await harness.another(ring)
        try await rotate(to: new)
        try harness.store.close()
        #expect(try await opens(KeyRing(new)))
        harness.store = try await harness.another(KeyRing(new))
    }

    @Test func `the old key is put away while nobody else can change the key, once nothing needs it`() async throws {
        let lock = harness.store.folder.openingLock
        let steps = Mutex<[String]>([])
        _ = try await harness.store.upkeep.rotateKeys(
            to: .random(),
            by: StoreHarness.person,
            storing: { steps.withLock { $0.append("storing") } },
            retiring: {
                // Whoever rotates next stores a newer key in the same file: it waits until this one is out of it.
                let isFree = try FileLock.acquire(path: lock, creating: false) != nil
                steps.withLock { $0.append(isFree ? "retiring, with others" : "retiring") }
            },
            reached: { step in steps.withLock { $0.append(step.rawValue) } }
        )
        #expect(steps.withLock(\.self) == ["storing", "stored", "rewrapped", "committed", "retiring"])
        #expect(try FileLock.acquire(path: lock, creating: false) != nil)
    }

    @Test func `an old key that cannot be put away stays, and the next rotation ends this one`() async throws {
        let new = VaultKey.random()
        await #expect(throws: CocoaError.self) {
            try await rotate(to: new, retiring: { throw CocoaError(.fileWriteUnknown) })
        }
        #expect(try await harness.store.upkeep.keyInUse() == new.id)
        try harness.store.close()
        let both = try #require(KeyRing([new, harness.key]))
        harness.store = try await harness.another(both)
        #expect(try await rotate(to: new).keyID == new.id)
    }
}

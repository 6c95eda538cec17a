import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox
import IDCardTesting
import Testing

/// Backs whose front is known to another process, which lives or has ended.
@Suite("Fronts that other processes expect", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct AwaitedInputTests {
    private let time = ManualTime()

    private func harness(_ kind: StoreKind, frontWait: Duration = .seconds(600)) throws -> PipelineHarness {
        try PipelineHarness(kind, time: self.time.port) {
            $0.patience = .seconds(10)
            $0.takeBackInterval = .seconds(2)
            $0.frontWait = frontWait
        }
    }

    private func input(_ item: IntakeItem, isRefused: Bool = false) throws -> AwaitedInput {
        AwaitedInput(
            businessNumber: try item.takenMetadata.businessNumber,
            path: item.path,
            source: .named,
            isRefused: isRefused
        )
    }

    /// Lets another process end that has nothing leased.
    private func end(_ store: any CardStore) async throws {
        if let memory = store as? InMemoryStore { memory.die() } else { try await (store as? SandboxStore)?.close() }
    }

    @Test(
        "A front that cannot be read holds its back, wherever the list names it, in this run and in later ones",
        arguments: StoreKind.allCases,
        [true, false]
    )
    func unreadable(kind: StoreKind, isFirst: Bool) async throws {
        let harness = try self.harness(kind)
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        let content = try Data(contentsOf: URL(fileURLWithPath: front.path.reveal()))
        try harness.makeUnreadable(front)
        var items = IntakeList(isFirst ? [front, back] : [back, front])
        items.setRoots(folders: [harness.folder], manifest: nil)
        for _ in 0..<3 {
            #expect(try await harness.engine().runBatch(items) == .complete)
            #expect(try await harness.states() == ["verified:blocked_by_front"])
        }
        self.time.advance(by: .seconds(700))
        #expect(try await harness.run([]) == .complete)
        #expect(harness.backend.attempts.isEmpty, "a back was sent without its front")
        try FileManager.default.removeItem(atPath: front.path.reveal())
        try content.write(to: URL(fileURLWithPath: front.path.reveal()))
        #expect(try await harness.engine().runBatch(items) == .complete)
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }

    @Test("A photo that another process took in and put away is no refused front", arguments: StoreKind.allCases)
    func takenByAnother(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let back = try harness.photo("b", "back;x")
        #expect(try await harness.run([back]) == .complete)
        // As a run meets it that listed it before.
        try FileManager.default.removeItem(atPath: back.path.reveal())
        var items = IntakeList([back, try harness.photo("c", "back;y")])
        items.setRoots(folders: [harness.folder], manifest: nil)
        #expect(try await harness.engine().runBatch(items) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(try await !harness.store.awaitsInputs())
    }

    @Test(
        "A service that was down does not send a back before it has looked for its front",
        arguments: StoreKind.allCases
    )
    func afterDowntime(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let back = try harness.photo("b", "back;x")
        try await harness.serve { engine in
            _ = try await engine.take(back)
            await harness.reached(.verified)
        }
        // Longer than a back waits for its front, which came meanwhile.
        self.time.advance(by: .seconds(3600))
        try await harness.serve { engine in
            // By then the back was decided on.
            _ = try await engine.take(try harness.photo("other", "front;\(Holder.first);other", number: "B-0"))
            await harness.reached(.delivered)
            #expect(harness.backend.attempts.count == 1)
            let front = try harness.photo("f", "front;\(Holder.first)")
            _ = try await engine.take(front)
            await harness.reached(.delivered)
            await harness.reached(.delivered)
        }
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "front", "back"])
    }

    @Test("A clock that jumps ahead under a service does not send a back before its front")
    func clockJumps() async throws {
        let (manual, steady) = (self.time.port, SuspendingClock.now)
        let port = PipelineTime(now: manual.now, sleep: manual.sleep, steady: { steady })
        let harness = try PipelineHarness(.memory, time: port)
        try await harness.serve { engine in
            _ = try await engine.take(try harness.photo("b", "back;x"))
            await harness.reached(.verified)
            self.time.advance(by: .seconds(3600))
            _ = try await engine.take(try harness.photo("other", "front;\(Holder.first);other", number: "B-0"))
            await harness.reached(.delivered)
            #expect(harness.backend.attempts.count == 1, "a back was sent without its front")
            _ = try await engine.take(try harness.photo("f", "front;\(Holder.first)"))
            await harness.reached(.delivered)
            await harness.reached(.delivered)
        }
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "front", "back"])
    }

    @Test("No run sends a back alone whose front another process expects", arguments: StoreKind.allCases)
    func expectedElsewhere(kind: StoreKind) async throws {
        // While the work of a run lags on a busy machine, the clock may move on by hours.
        let harness = try self.harness(kind, frontWait: .seconds(100_000_000))
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        let other = try harness.another()
        try await other.add([try self.input(front)], now: self.time.now)
        for items in [[back], []] {
            let ending = try await self.time.ticking(by: .seconds(2)) { try await harness.run(items) }
            #expect(ending == .leftToOthers)
            #expect(try await harness.states() == ["verified:waits_for_verification"])
        }
        try await other.end([try self.input(front)])
        // It is none of this run's inputs, so the end of its intake says nothing.
        #expect(try await harness.run([]) == .patienceExhausted)
        #expect(try await harness.states() == ["verified:waits_for_front"])
        #expect(try await harness.run([back]) == .complete)
        #expect(try await harness.states() == ["delivered"], "nothing else is expected: it goes as ever")
        try await self.end(other)
    }

    @Test(
        "A back is held once the process that knew of its front has been gone for the front wait, and follows its front",
        arguments: StoreKind.allCases,
        [false, true]
    )
    func abandoned(kind: StoreKind, isRefused: Bool) async throws {
        let harness = try self.harness(kind)
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        let other = try harness.another()
        try await other.add([try self.input(front, isRefused: isRefused)], now: self.time.now)
        if isRefused {
            #expect(try await harness.run([back]) == .complete)
            // Nothing lapses while the process lives that refused it.
            self.time.advance(by: .seconds(6000))
            #expect(try await harness.run([back]) == .complete)
            #expect(try await harness.states() == ["verified:blocked_by_front"])
            try await other.keepAwaiting(now: self.time.now)
        }
        try await self.end(other)
        self.time.advance(by: .seconds(500))
        for items in [[back], []] { #expect(try await harness.run(items) == .patienceExhausted) }
        #expect(try await harness.states() == ["verified:\(isRefused ? "blocked_by_front" : "waits_for_verification")"])
        let reason: ReasonCode = isRefused ? .frontRefused : .frontExpected
        self.time.advance(by: .seconds(101))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["held:\(reason)"])
        #expect(harness.backend.attempts.isEmpty)
        #expect(try await harness.run([front]) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
        #expect(try await !harness.store.awaitsInputs())
    }

    @Test("A front that the run itself refuses blocks its back for every later run", arguments: StoreKind.allCases)
    func refused(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        var unread = front
        unread.disposition = .refuse(.sourceUnreadable, message: "unread", of: try front.takenMetadata.businessNumber)
        #expect(try await harness.run([back, unread]) == .complete)
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["verified:blocked_by_front"])
        #expect(try await harness.run([front]) == .complete)
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }

    @Test("What a later run over the same folder finds no more is awaited no more", arguments: StoreKind.allCases)
    func foundNoMore(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        var unread = front
        unread.disposition = .refuse(.sourceUnreadable, message: "unread", of: try front.takenMetadata.businessNumber)
        func list(_ items: [IntakeItem]) -> IntakeList {
            var list = IntakeList(items)
            list.setRoots(folders: [harness.folder], manifest: nil)
            return list
        }
        _ = try await harness.engine().runBatch(list([back, unread]))
        #expect(try await harness.states() == ["verified:blocked_by_front"])
        _ = try await harness.engine().runBatch(list([back]))
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "A run that is cut off while it takes in leaves word of what it has not reached",
        arguments: StoreKind.allCases
    )
    func cutOff(kind: StoreKind) async throws {
        let shutdown = Shutdown()
        let time = self.time
        let harness = try PipelineHarness(kind, time: time.port, onPrepare: { _ in shutdown.request() })
        let (back, front) = (try harness.photo("b", "back;x"), try harness.photo("f", "front;\(Holder.first)"))
        var items = [back]
        // More than are under way at a time.
        for index in 0..<40 {
            items.append(try harness.photo("o\(index)", "front;\(Holder.first);\(index)", number: "O-\(index)"))
        }
        #expect(try await harness.engine().runBatch(items + [front], until: shutdown) == .interrupted)
        let number = try front.takenMetadata.businessNumber
        #expect(try await harness.store.snapshot(of: number).awaited.expected >= 1)
    }
}

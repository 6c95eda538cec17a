import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// A backend that takes bodies slowly.
@Suite("A backend that reads slowly", .serialized, .timeLimit(.minutes(Sanitizer.minutes(3))))
struct SlowReaderTests {
    /// The answer that a slow backend gives whatever it has read.
    private static let taken = FaultReply.json(#"{"RETCODE":"000000"}"#)

    @Test("All cards are delivered, once, whole and in the end")
    func delivered() async throws {
        var plan = FirePlan()
        plan.backendOptions.receiveBufferBytes = 65_536
        let slow = SlowReading(bytesPerStep: 65_536, stepMilliseconds: 5)
        plan.backend = { _, _ in .slow(slow, reply: Self.taken) }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(6, bytes: 2 << 20)) == .complete)
            #expect(try await range.counts() == [.delivered: 6])
            #expect(range.backend.requests == 6)
            // The books are made up afterwards.
            for request in range.backend.received { range.ledger.commit(request) }
            expectOneDocumentEach(in: range.ledger, count: 6)
            #expect(range.ledger.documents.allSatisfy { $0.image.count == 2 << 20 })
        }
    }

    /// In a process of its own: what the other tests use is not counted.
    @Test("The memory does not grow with what goes through: another 320 MB need less than half of that")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let (count, bytes) = (100, 4 << 20)
            let peak = Mutex(0)
            let look: @Sendable () -> Void = {
                let now = Self.residentBytes
                peak.withLock { $0 = max($0, now) }
            }
            var plan = FirePlan()
            plan.backendOptions.receiveBufferBytes = 65_536
            plan.backendOptions.keepsBodies = false
            plan.verifierOptions.keepsBodies = false
            let reading = FaceIDReplies.reading(of: PhotoLine.image("front;\(FireRange.holder)", bytes: 0))
            plan.verifier = { _ in
                look()
                return .reply(reading)
            }
            // Half a megabyte of each in steps, then at full speed.
            let slow = SlowReading(bytesPerStep: 65_536, stepMilliseconds: 5, slowBytes: 1 << 19)
            plan.backend = { _, _ in
                look()
                return .slow(slow, reply: Self.taken)
            }
            try await withFireRange(plan) { range async throws in
                let items = try range.fronts(count, bytes: bytes)
                // The first twenty show what the pipeline needs, the others that it needs no more for more. How many are under
                // way at a time, and in how many heaps, is up to the machine: on a busy one that alone made 90 MB.
                #expect(try await range.run(Array(items.prefix(20))) == .complete)
                let before = peak.withLock { $0 }
                #expect(try await range.run(Array(items.dropFirst(20))) == .complete)
                #expect(try await range.counts() == [.delivered: count])
                let keys = Set(range.backend.received.map { $0.header("Idempotency-Key") })
                #expect(range.backend.requests == count)
                #expect(keys.count == count)
                #expect(range.backend.received.allSatisfy { $0.isComplete && $0.bodyLength > bytes })
                let growth = peak.withLock { $0 } - before
                #expect(growth < 160 << 20 || Sanitizer.isPresent, "grew by \(growth) bytes")
            }
        }
    }

    /// The resident set of this process: the second field of `/proc/self/statm`, in pages.
    private static var residentBytes: Int {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * 4096
    }
}

import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Photos that come singly, from a watched folder or a request, into an engine that goes on.
@Suite(.timeLimit(.minutes(5))) struct ArrivalTests {
    let harness: EngineHarness
    var time: ManualTime { harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    private static func receive(_ text: String, _ number: String, in engine: Engine) async throws -> AdmissionOutcome {
        try await engine.receive(
            .received(Data(text.utf8)),
            name: Redacted("photo"),
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: number)),
            submitter: "till",
            source: ContentDigest(of: Data(text.utf8)),
            receipt: nil
        )
    }

    /// Waits until so many photos were delivered.
    private func delivered(_ count: Int) -> Happening {
        let happening = Happening()
        harness.state.withLock { state in
            let seen = Counter()
            state.onEvent = { event, _ in
                guard case .changed(let change) = event, change.state == .delivered else { return }
                if seen.next() == count { happening.happen() }
            }
        }
        return happening
    }

    @Test func `what a request brings is durable as it came, and is delivered`() async throws {
        let done = delivered(2)
        try await harness.withEngine { engine in
            try await engine.run {
                #expect(try await Self.receive("N1 back", "N1", in: engine).state == .received)
                #expect(try await Self.receive("N1 front", "N1", in: engine).state == .received)
                #expect(try await Self.receive("N1 front", "N1", in: engine).isDuplicate)
                try await done.wait()
            }
        }
        #expect(harness.delivered == [["N1 front"], ["N1 back"]])
    }

    @Test func `a front that comes singly waits for its back, and both go in one form`() async throws {
        let done = delivered(2)
        let settings = harness.settings { $0.policy.layout = .application }
        let items = try harness.items(["N1": ["front", "back"]])[0]
        // Four stages and the heartbeat: nobody waits for the end.
        try await time.passing(whenAsleep: 5) {
            try await harness.withEngine(settings, time: time.engineTime) { engine in
                try await engine.run {
                    _ = try await engine.take(items[0])
                    await time.reached(.seconds(5))
                    _ = try await engine.take(items[1])
                    try await done.wait()
                }
            }
        }
        #expect(harness.delivered == [["N1 front", "N1 back"]])
    }

    @Test func `a sandbox that is full takes nothing more, and says so`() async throws {
        harness.state.withLock { $0.queueDepth = -1 }
        let items = try harness.items(["N1": ["front"]])[0]
        try await harness.withEngine { engine in
            try await engine.run {
                await #expect { try await engine.take(items[0]) } throws: { ($0 as? CodedError)?.code == .queueFull }
                let error = await #expect(throws: CodedError.self) {
                    try await Self.receive("N1 back", "N1", in: engine)
                }
                #expect(error?.code == .queueFull)
            }
        }
        #expect(try await harness.states().isEmpty)
    }

    @Test func `a copy of a photo is known without being decoded`() async throws {
        try await harness.run(harness.items(["N1": ["front"]]))
        let photos = harness.folder + "/photos"
        try FileManager.default.copyItem(atPath: "\(photos)/N1 front.jpg", toPath: "\(photos)/N1 copy.jpg")
        harness.state.withLock { $0.preparingFailures = .max }
        try await harness.run(harness.items(["N1": ["copy"]]))
        #expect(try await harness.states() == ["N1 front": "delivered"])
        #expect(harness.delivered == [["N1 front"]])
    }

    @Test func `a photo that cannot be used is told at once, and refused each time it comes`() async throws {
        let items = try harness.items(["N1": ["broken front"]])[0]
        try await harness.withEngine { engine in
            try await engine.run {
                for _ in 1...2 {
                    // Taken for a duplicate it would count as done, and its only copy might be deleted.
                    let outcome = try await engine.take(items[0])
                    #expect(outcome.state == .rejected && outcome.reason?.rawValue == "image_truncated")
                    #expect(!outcome.isDuplicate)
                }
            }
        }
    }

    @Test(arguments: [(4, "delivered"), (5, "failed image_memory")])
    func `preparing that fails for memory is tried five times`(failures: Int, expected: String) async throws {
        harness.state.withLock { $0.preparingFailures = failures }
        try await time.passing {
            try await harness.withEngine(time: time.engineTime) { engine in
                _ = try await Self.receive("N1 front", "N1", in: engine)
                _ = try await engine.runBatch([])
            }
        }
        #expect(try await harness.states() == ["photo": expected])
    }
}

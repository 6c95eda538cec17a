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

    private static func receive(_ text: String, _ number: String, in engine: Engine) async throws -> Admitted {
        try #require(
            try await engine.intake(of: Caller(subject: "till", scopes: [])).receive([Self.upload(text, number)]).first
        )
    }

    private static func upload(_ text: String, _ number: String) -> Photo {
        Photo(
            .bytes(Data(text.utf8), ContentDigest(of: Data(text.utf8))),
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: number))
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

    @Test func `what a request brings is prepared before it is durable, and is delivered`() async throws {
        let done = delivered(2)
        try await harness.withEngine { engine in
            try await engine.run {
                #expect(try await Self.receive("N1 back", "N1", in: engine).state == .prepared)
                #expect(try await Self.receive("N1 front", "N1", in: engine).state == .prepared)
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
        // Four stages, the heartbeat, the figures and the decisions: none waits for the end.
        try await time.passing(whenAsleep: 8) {
            try await harness.withEngine(settings, time: time.engineTime) { engine in
                try await engine.run {
                    _ = try await engine.intake().admit(items[0])
                    await time.reached(.seconds(5))
                    _ = try await engine.intake().admit(items[1])
                    try await done.wait()
                }
            }
        }
        #expect(harness.delivered == [["N1 front", "N1 back"]])
    }

    @Test func `a front that came with its back does not wait for one that the verifier refuses`() async throws {
        let done = delivered(1)
        let settings = harness.settings { $0.policy.layout = .application }
        harness.state.withLock { $0.verifyFailures["N1 back"] = [.specimen(.rejected)] }
        let uploads = ["N1 front", "N1 back"].map { Self.upload($0, "N1") }
        try await time.passing(whenAsleep: 8) {
            try await harness.withEngine(settings, time: time.engineTime) { engine in
                try await engine.run {
                    _ = try await engine.intake(of: Caller(subject: "till", scopes: [])).receive(uploads)
                    try await done.wait()
                }
            }
        }
        #expect(harness.delivered == [["N1 front"]])
        #expect(time.elapsed < .seconds(60))
    }

    @Test func `a sandbox that is full takes nothing more, and says so`() async throws {
        harness.state.withLock { $0.queueDepth = -1 }
        let items = try harness.items(["N1": ["front"]])[0]
        try await harness.withEngine { engine in
            try await engine.run {
                await #expect { try await engine.intake().admit(items[0]) } throws: {
                    ($0 as? CodedError)?.code == .queueFull
                }
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
                    let outcome = try await engine.intake().admit(items[0])
                    #expect(outcome.state == .rejected && outcome.reason?.rawValue == "image_truncated")
                    #expect(!outcome.isDuplicate)
                }
            }
        }
    }

    @Test func `a photo of a request that there is no memory for leaves nothing`() async throws {
        harness.state.withLock { $0.preparingFailures = 1 }
        try await harness.withEngine { (engine) async throws in
            let error = await #expect(throws: CodedError.self) {
                try await Self.receive("N1 front", "N1", in: engine)
            }
            #expect(error?.code.rawValue == "image_memory")
            #expect(try await harness.states().isEmpty)
            #expect(try await Self.receive("N1 front", "N1", in: engine).state == .prepared)
        }
    }

    @Test func `a photo of a request waits for a place for 15 seconds`() async throws {
        let (stuck, release) = (Happening(), Happening())
        harness.state.withLock { state in
            state.onPreparing = { text in
                guard text == "N1 front" else { return }
                stuck.happen()
                try await release.wait()
            }
        }
        let settings = harness.settings { $0.preparing = 1 }
        // Only who waits for a place sleeps.
        try await time.passing(whenAsleep: 1) {
            try await harness.withEngine(settings, time: time.engineTime) { (engine) async throws in
                async let first = Self.receive("N1 front", "N1", in: engine)
                try await stuck.wait()
                let error = await #expect(throws: CodedError.self) {
                    try await Self.receive("N2 front", "N2", in: engine)
                }
                #expect(error?.code == .queueFull && time.elapsed == .seconds(15))
                release.happen()
                #expect(try await first.state == .prepared)
                #expect(try await Self.receive("N2 front", "N2", in: engine).state == .prepared)
            }
        }
    }
}

import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@Suite("A clock that goes back while the engine runs", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct ClockTests {
    private static let year = Duration.seconds(365 * 86_400)

    private let time = ManualTime()

    @Test(
        "What an endpoint put off by a clock a year ahead goes on when the clock is right",
        arguments: StoreKind.allCases
    )
    func putOff(kind: StoreKind) async throws {
        let verifier = ScriptedVerifier { call in
            guard call.earlierCalls == 0 else { return .read(PhotoText(call.image).reading) }
            return .failed(RemoteFailure(.throttled, code: "c", message: "m", retryAfter: .seconds(60)))
        }
        self.time.advance(by: Self.year)
        let harness = try PipelineHarness(kind, verifier: verifier, time: self.time.port) { settings in
            settings.takeBackInterval = .seconds(2)
            settings.patience = .seconds(1_000_000)
        }
        let item = try harness.photo("1.jpg", "front;\(Holder.first)")
        async let ending = harness.run([item])
        await self.time.somebodySleeps(for: .seconds(60))
        await self.time.somebodySleeps(for: .seconds(2))
        self.time.setBack(by: Self.year)
        self.time.advance(by: .seconds(2))
        let ended = try await ending
        #expect(ended == .complete)
        let states = try await harness.states()
        let cards = try await harness.cards()
        #expect(states == ["delivered"], "\(cards) \(self.time.now)")
        #expect(self.time.now < Timestamp(millisecondsSinceEpoch: 1_800_000_000_000).advanced(by: .seconds(60)))
    }
}

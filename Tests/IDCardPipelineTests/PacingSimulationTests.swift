import IDCardCore
import IDCardTesting
import Testing

@testable import IDCardPipeline

@Suite(
    "The learned concurrency before endpoints that allow few calls, simulated",
    .timeLimit(.minutes(Sanitizer.minutes(2)))
)
struct PacingSimulationTests {
    private static let services: [PacingSimulation.Service] = [
        .constant(50), .constant(200), .constant(1000), .constant(5000), .uniform(50...600), .longTail(150),
    ]

    @Test(
        "At most one call in a hundred is throttled, and a key for one call is used to nine tenths at least",
        arguments: [1, 2, 3, 5],
        [8, 32]
    )
    func quota(allowed: Int, concurrency: Int) {
        for service in Self.services {
            let simulation = PacingSimulation(
                allowed: allowed,
                concurrency: concurrency,
                cards: 2000,
                service: service
            )
            let result = simulation.run(seed: 7)
            print(
                "allows \(allowed) of \(concurrency), \(service): \(result.calls) calls,",
                "\(result.throttled) throttled, speed \((result.speed * 100).rounded() / 100) of serial, \(result.elapsed)"
            )
            #expect(result.completed == 2000)
            #expect(result.calls == 2000 + result.throttled)
            #expect(result.throttledShare <= 0.01, "\(service)")
            #expect(result.speed >= 0.9 * Double(allowed), "\(service)")
        }
    }

    @Test("An endpoint that allows everything soon gets all the configured calls", arguments: [2, 4, 8, 32])
    func healthy(concurrency: Int) {
        let simulation = PacingSimulation(
            allowed: .max,
            concurrency: concurrency,
            cards: 1000,
            service: .constant(200)
        )
        let result = simulation.run(seed: 7)
        print("allows all of \(concurrency): speed \(result.speed)")
        #expect(result.throttled == 0)
        // It takes one round of answers for each further call at a time.
        #expect(result.speed >= 0.65 * Double(concurrency))
    }
}

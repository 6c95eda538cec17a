import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization

/// Takes images into an in-memory store, and can be closed or made to fail.
final class FakeIntake: CardIntake {
    private struct State {
        var pressure = IntakePressure.open
        var error: StoreError?
        var count = 0
        var receptions: [Reception] = []
        var refusal: ImageFetcher.Refusal?
    }

    let store: InMemoryStore
    private let state = Mutex(State())
    /// What happens to receptions, for tests that wait for them.
    let arrivals = AsyncSignal()
    /// Receptions wait here while it is closed.
    let gate = AsyncGate()

    init(_ store: InMemoryStore) {
        self.store = store
    }

    var receptions: [Reception] { self.state.withLock { $0.receptions } }

    func close(_ pressure: IntakePressure) { self.state.withLock { $0.pressure = pressure } }
    func fail(_ error: StoreError?) { self.state.withLock { $0.error = error } }

    func refuseAddresses(_ refusal: ImageFetcher.Refusal?) { self.state.withLock { $0.refusal = refusal } }

    func announce(_ items: IntakeList) async throws -> IntakeAnnouncement { IntakeAnnouncement() }
    func expect(_ inputs: [AwaitedInput]) async throws {}
    func expectNoMore(_ inputs: [AwaitedInput]) async throws {}
    func expectAgain(_ inputs: [AwaitedInput], of source: InputSource) async throws {}
    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? { self.state.withLock { $0.refusal } }
    func take(_ item: IntakeItem) async throws -> InputResult { .ignored }
    func pressure() async -> IntakePressure { self.state.withLock { $0.pressure } }

    func receive(_ reception: Reception) async throws -> ReceptionOutcome {
        self.arrivals.signal()
        await self.gate.pass()
        if let error = self.state.withLock({ $0.error }) { throw error }
        let number = self.state.withLock { state in
            state.count += 1
            return state.count
        }
        let id = CardID(rawValue: "00000000-0000-7000-8000-\(100_000_000_000 + number)")
        let outcome = try await self.store.receive(reception, as: id, now: PipelineTime.system.now())
        if case .admitted = outcome { self.state.withLock { $0.receptions.append(reception) } }
        return outcome
    }
}

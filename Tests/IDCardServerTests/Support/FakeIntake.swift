import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization

/// Takes images into an in-memory store, keeps receipts, and can be closed or made to fail.
final class FakeIntake: CardIntake {
    private struct State {
        var pressure = IntakePressure.open
        var error: StoreError?
        var receipts: [String: (ContentDigest, CardID)] = [:]
        var receptions: [Reception] = []
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

    func take(_ item: IntakeItem) async throws -> InputResult { .ignored }
    func pressure() async -> IntakePressure { self.state.withLock { $0.pressure } }

    func receive(_ reception: Reception) async throws -> ReceptionOutcome {
        self.arrivals.signal()
        await self.gate.pass()
        if let error = self.state.withLock({ $0.error }) { throw error }
        if let receipt = reception.receipt {
            let known = self.state.withLock { $0.receipts[Self.name(of: receipt)] }
            if let (request, id) = known {
                guard request == receipt.request, let card = try await self.store.card(id) else { return .nameReused }
                return .repeated(card)
            }
        }
        let outcome = try await self.admit(reception)
        self.state.withLock { state in
            state.receptions.append(reception)
            if let receipt = reception.receipt, let card = outcome.card {
                state.receipts[Self.name(of: receipt)] = (receipt.request, card.id)
            }
        }
        return outcome
    }

    private func admit(_ reception: Reception) async throws -> ReceptionOutcome {
        let digest =
            switch reception.source {
            case .bytes(let source): source.digest
            case .address(let address): ContentDigest(of: Data(address.url.reveal().utf8))
            }
        let order = try await self.store.reserveIntakeOrders(1)
        let jpeg = Data("jpeg \(order)".utf8)
        let image = PreparedImage(jpeg: jpeg, width: 1, height: 1, digest: ContentDigest(of: jpeg))
        let admission = Admission(
            id: CardID(rawValue: "00000000-0000-7000-8000-\(String(order + 100_000_000_000))"),
            metadata: reception.metadata,
            sourceDigest: digest,
            file: nil,
            intakeOrder: order,
            content: .prepared(image)
        )
        switch try await self.store.admit(admission, now: Timestamp(Date())) {
        case .admitted(let card): return .admitted(card)
        case .duplicate(let card): return .duplicate(card)
        }
    }

    private static func name(of receipt: Receipt) -> String {
        switch receipt.scope {
        case .idempotencyKey(let caller): "\(caller)|\(receipt.name)"
        case .webhook: "webhook|\(receipt.name)"
        }
    }
}

extension ReceptionOutcome {
    var card: Card? {
        switch self {
        case .admitted(let card), .duplicate(let card), .repeated(let card): card
        case .nameReused: nil
        }
    }
}

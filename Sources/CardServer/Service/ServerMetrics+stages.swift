package import CardEngine
import CardModel
import Foundation

extension ServerMetrics {
    /// The same functions, whose calls are counted by how they end (`FailureClass`), and timed. A call that is given up
    /// counts as none.
    @Sendable package func counting(_ ports: EnginePorts) -> EnginePorts {
        var counted = ports
        counted.prepare = { source in
            try await self.measure(.prepare) {
                try await ports.prepare(source)
            } endedAs: { _ in
                .accepted
            }
        }
        counted.fetcher.fetch = { request, keep in
            try await self.measure(.fetch) {
                try await ports.fetcher.fetch(request, keep)
            } endedAs: { outcome in
                switch outcome {
                case .fetched: .accepted
                case .failed(let failure): failure.failureClass
                case .forbidden, .unusable: .rejected
                }
            }
        }
        counted.verifier.verify = { image in
            try await self.measure(.verify) {
                try await ports.verifier.verify(image)
            } endedAs: { outcome in
                if case .failed(let failure) = outcome { failure.failureClass } else { .accepted }
            }
        }
        counted.backend.send = { delivery, progress in
            try await self.measure(.deliver) {
                try await ports.backend.send(delivery, progress)
            } endedAs: {
                $0.failureClass
            }
        }
        return counted
    }

    private func measure<Value>(
        _ stage: Stage,
        _ call: () async throws -> Value,
        endedAs failureClass: (Value) -> FailureClass
    ) async throws -> Value {
        let start = ContinuousClock.now
        let value: Value
        do {
            value = try await call()
        } catch let error as CodedError {
            self.count(stage, error.kind == .input ? .rejected : .transient, since: start)
            throw error
        }
        self.count(stage, failureClass(value), since: start)
        return value
    }

    private func count(_ stage: Stage, _ outcome: FailureClass, since start: ContinuousClock.Instant) {
        self.add(.stageCalls, [stage.rawValue, outcome.rawValue])
        self.add(.stageDuration, [stage.rawValue], took: .now - start)
    }
}

extension DeliveryOutcome {
    /// Of several cards, that of the first that was not accepted.
    fileprivate var failureClass: FailureClass {
        switch self {
        case .accepted: .accepted
        case .items(let items): items.lazy.map(\.failureClass).first { $0 != .accepted } ?? .accepted
        case .tokenExpired(let failure), .failed(let failure): failure.failureClass
        }
    }
}

extension DeliveryItemOutcome {
    fileprivate var failureClass: FailureClass {
        switch self {
        case .accepted: .accepted
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure.failureClass
        }
    }
}

import CardModel
import CardStore
import Foundation

extension EngineContext {
    func prepare(_ source: Data) async throws -> PreparedImage {
        try await self.measure(.prepare) { try await self.ports.prepare(source) }
    }

    func fetch(_ request: FetchRequest, keep: @escaping Fetcher.Keep) async throws -> FetchOutcome {
        try await self.measure(.fetch) {
            try await self.ports.fetcher.fetch(request, keep: keep)
        } endedAs: { outcome in
            switch outcome {
            case .fetched: .accepted
            case .failed(let failure): failure.failureClass
            case .forbidden, .unusable: .rejected
            }
        }
    }

    func verify(_ image: PreparedImage) async throws -> VerificationOutcome {
        try await self.measure(.verify) {
            try await self.ports.verifier.verify(image)
        } endedAs: { outcome in
            if case .failed(let failure) = outcome { failure.failureClass } else { .accepted }
        }
    }

    func send(_ job: DeliveryJob) async throws -> DeliveryOutcome {
        try await self.measure(.deliver) {
            try await self.ports.backend.send(job.outbound) { sent, total in
                self.events(.sending(job.id, sent: sent, total: total))
            }
        } endedAs: {
            $0.failureClass
        }
    }

    /// Tells how a call ended and how long it took; one that is given up counts as none.
    private func measure<Value>(
        _ stage: Stage,
        _ call: () async throws -> Value,
        endedAs failureClass: (Value) -> FailureClass = { _ in .accepted }
    ) async throws -> Value {
        let start = self.time.steady()
        let value: Value
        do {
            value = try await call()
        } catch let error as CodedError {
            self.events(.called(stage, error.kind == .input ? .rejected : .transient, took: self.time.steady() - start))
            throw error
        }
        self.events(.called(stage, failureClass(value), took: self.time.steady() - start))
        return value
    }
}

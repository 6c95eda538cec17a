import IDCardCore
import Logging

extension StageContext {
    /// Makes a call that a gate has let through, and tells the gate how it ended.
    ///
    /// - Throws: what the call throws: it was given up, and nothing is known of the endpoint.
    func paced<Outcome: PacedOutcome>(
        _ call: PacedCall,
        of stage: Stage,
        through gate: StageGate,
        _ make: () async throws -> Outcome
    ) async throws -> Outcome {
        let outcome: Outcome
        do {
            outcome = try await self.metrics.measure(stage.work, make) { $0.failure?.failureClass ?? .accepted }
        } catch {
            gate.abandoned(call)
            throw error
        }
        let change = gate.ended(call, as: outcome.failure, at: self.time.now())
        if let change { self.log(change, of: stage, code: outcome.failure?.code) }
        await self.share(outcome.failure, through: gate)
        // What the transport says is ours; what a remote says may quote a person, and goes into the sandbox alone.
        if let failure = outcome.failure, failure.httpStatus == nil, gate.isNews(failure.code) {
            self.logger.warning(
                "call failed",
                metadata: ["stage": "\(stage.rawValue)", "code": "\(failure.code)", "detail": "\(failure.message)"]
            )
        } else if outcome.failure == nil {
            gate.noNews()
        }
        return outcome
    }

    /// Lets every process know until when a host asks to be left alone, and the next one on this sandbox.
    private func share(_ failure: RemoteFailure?, through gate: StageGate) async {
        guard let failure, failure.failureClass == .throttled, failure.retryAfter != nil,
            let until = gate.throttledUntil
        else { return }
        do {
            try await self.store.setWait(until: until, of: gate.host, now: self.time.now())
        } catch {
            // It holds in this process all the same; a store that is really broken fails the next change.
            self.logger.warning(
                "wait of a host not recorded",
                metadata: ["store.code": "\((error as? StoreError)?.code.description ?? "other")"]
            )
        }
    }

    private func log(_ change: StagePace.Change, of stage: Stage, code: String?) {
        var metadata: Logger.Metadata = ["stage": "\(stage.rawValue)", "code": "\(code ?? "ok")"]
        switch change {
        case .opened(let until):
            metadata["until"] = "\(until)"
            self.logger.warning("endpoint failing, waiting", metadata: metadata)
        case .closed:
            self.logger.notice("endpoint works again", metadata: metadata)
        case .slowed(let limit):
            metadata["concurrency"] = "\(limit)"
            self.logger.info("endpoint asks for a slower pace", metadata: metadata)
        }
    }
}

extension Stage {
    /// As what its calls are counted.
    fileprivate var work: StageMetrics.Work {
        switch self {
        case .prepare: .prepare
        case .verify: .verify
        case .deliver: .deliver
        }
    }
}

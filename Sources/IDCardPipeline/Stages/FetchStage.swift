import IDCardCore
import Logging

/// Fetches images named by URL; what has arrived is durable piece by piece.
struct FetchStage: Sendable {
    let context: StageContext
    let fetcher: ImageFetcher

    /// Fetches what is missing of one leased `fetching` card.
    func work(_ job: FetchJob) async throws {
        let startedAt = self.context.time.now()
        do {
            try self.context.board.checkMayBegin()
            let outcome = try await self.outcome(of: job)
            do {
                try await self.conclude(job.card, outcome, startedAt: startedAt)
            } catch let error as StoreError where error.concernsOneCard {
                // What is kept leaves a gap: the next attempt fills it.
                try await self.conclude(job.card, Self.incomplete(error), startedAt: startedAt)
            }
        } catch is CancellationError {
            // Interrupted is not failed: the pieces are kept, and the lease is handed back at shutdown.
        } catch let error as StoreError {
            let number = job.card.metadata.businessNumber
            guard try await self.context.wereTaken([job.card.id], under: [number], after: error) else { throw error }
        }
    }

    private func outcome(of job: FetchJob) async throws -> ImageFetcher.Outcome {
        let store = self.context.store
        let card = job.card.id
        do {
            return try await self.context.metrics.measure(.fetch) {
                try await self.fetcher.fetch(
                    job,
                    { bytes, offset, version in try await store.keep(bytes, at: offset, of: card, version: version) },
                    { offset in try await store.source(of: card, at: offset) }
                )
            } endedAs: { outcome in
                switch outcome {
                case .complete: .accepted
                case .refused: .rejected
                case .failed(let failure): failure.failureClass
                }
            }
        } catch let error as StoreError where error.code == .diskFull {
            self.context.space.failed(error.message)
            return .failed(RemoteFailure(.notSent, code: "disk_full", message: error.message))
        } catch let error as StoreError where error.concernsOneCard {
            return Self.incomplete(error)
        }
    }

    /// What was kept cannot be joined or read; it costs an attempt, so that it ends.
    private static func incomplete(_ error: StoreError) -> ImageFetcher.Outcome {
        .failed(RemoteFailure(.transient, code: "pieces_incomplete", message: error.message))
    }

    private func conclude(_ card: Card, _ outcome: ImageFetcher.Outcome, startedAt: Timestamp) async throws {
        let now = self.context.time.now()
        let (conclusion, attempt) = self.conclusion(of: outcome, card: card, startedAt: startedAt, now: now)
        let changed = try await self.context.store.concludeFetching(card, as: conclusion, attempt: attempt, now: now)
        self.context.logger.debug(
            "card left fetching",
            metadata: [
                "card.id": "\(card.id)", "card.state": "\(changed.state.rawValue)", "attempt.code": "\(attempt.code)",
            ]
        )
        guard changed.state != .fetching else { return }
        self.context.monitor.changed(changed)
        self.context.applications.touch(card.metadata.businessNumber)
        self.context.board.announce(.prepare, .settle)
    }

    private func conclusion(
        of outcome: ImageFetcher.Outcome,
        card: Card,
        startedAt: Timestamp,
        now: Timestamp
    ) -> (FetchConclusion, AttemptRecord) {
        switch outcome {
        case .complete(let digest):
            let attempt = AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: startedAt)
            return (.complete(digest), attempt)
        case .refused(let reason, let message):
            let attempt = AttemptRecord(
                failureClass: .rejected,
                code: reason.rawValue,
                httpStatus: nil,
                startedAt: startedAt
            )
            return (.rejected(reason, message: message), attempt)
        case .failed(let failure):
            return (self.conclusion(of: failure, card: card, now: now), AttemptRecord(failure, startedAt: startedAt))
        }
    }

    private func conclusion(of failure: RemoteFailure, card: Card, now: Timestamp) -> FetchConclusion {
        let costsAttempt: Bool
        switch failure.failureClass {
        case .accepted, .rejected, .shrink:
            return .rejected(ReasonCode(rawValue: failure.code), message: failure.message)
        case .throttled: costsAttempt = false
        // Each has a host of its own, named by a sender: one that is never reached must end, too.
        case .notSent, .transient, .unknown, .stop: costsAttempt = true
        }
        let failures = card.attempts + 1
        if costsAttempt, failures >= self.context.settings.fetchMaximumAttempts {
            return .failed(
                .attemptsExhausted,
                message:
                    "the image was not fetched in \(failures) attempts, last with \(failure.code): \(failure.message)"
            )
        }
        let policy = self.context.settings.retry
        let delay = self.context.random.draw { policy.delay(afterAttempt: failures, using: &$0) }
        let wait = max(delay, failure.retryAfter ?? (costsAttempt ? .zero : .seconds(1)))
        return .retry(at: now.advanced(by: wait), costsAttempt: costsAttempt)
    }
}

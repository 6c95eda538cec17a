import IDCardCore
import Logging

/// Fetches images named by URL; what has arrived is durable piece by piece.
struct FetchStage: Sendable {
    let context: StageContext
    let fetcher: ImageFetcher
    let queue: FetchQueue

    /// Takes the function that fetches.
    init(context: StageContext, fetcher: ImageFetcher) {
        self.context = context
        self.fetcher = fetcher
        self.queue = FetchQueue(context.settings, room: 256 * context.settings.fetchConcurrency)
    }

    /// Fetches what is missing of one leased `fetching` card.
    func work(_ fetch: HostedFetch) async throws {
        let startedAt = self.context.time.now()
        let card = fetch.job.card
        do {
            let (outcome, closedUntil) = try await self.outcome(of: fetch)
            let attempt = Attempt(card: card, outcome: outcome, closedUntil: closedUntil, startedAt: startedAt)
            do {
                try await self.conclude(attempt)
            } catch let error as StoreError where error.concernsOneCard {
                // What is kept leaves a gap: the next attempt fills it.
                try await self.conclude(attempt.with(Self.incomplete(error)))
            }
        } catch is CancellationError {
            // Interrupted is not failed: the pieces are kept, and the lease is handed back at shutdown.
        } catch let error as StoreError {
            let number = card.metadata.businessNumber
            guard try await self.context.wereTaken([card.id], under: [number], after: error) else { throw error }
        }
    }

    /// Fetches, and tells the queue what that says of the host.
    ///
    /// - Returns: also until when the host is left alone now.
    private func outcome(of fetch: HostedFetch) async throws -> (ImageFetcher.Outcome, closedUntil: Timestamp?) {
        let outcome: ImageFetcher.Outcome
        do {
            try self.context.board.checkMayBegin()
            try await self.requireStanding(fetch.job.card)
            outcome = try await self.fetched(fetch.job)
        } catch {
            self.queue.abandoned(fetch)
            guard let error = error as? StoreError else { throw error }
            guard error.code != .diskFull else {
                self.context.space.failed(error.message)
                return (.failed(RemoteFailure(.notSent, code: "disk_full", message: error.message)), nil)
            }
            guard error.concernsOneCard else { throw error }
            return (Self.incomplete(error), nil)
        }
        let failure: RemoteFailure?
        switch outcome {
        case .complete, .unusable: failure = nil
        case .failed(let cause): failure = cause
        case .refused:
            // Maybe before the host was asked at all.
            self.queue.abandoned(fetch)
            return (outcome, nil)
        }
        let now = self.context.time.now()
        let closedUntil = self.queue.ended(fetch, as: failure, at: now)
        if let failure, let closedUntil, failure.failureClass != .throttled {
            self.context.logger.warning(
                "host of images failing, waiting",
                metadata: ["code": "\(failure.code)", "until": "\(closedUntil)"]
            )
        }
        return (outcome, closedUntil)
    }

    /// It may have waited for its host: a card erased meanwhile is not asked for.
    private func requireStanding(_ card: Card) async throws {
        guard let now = try await self.context.store.card(card.id), now.stands(as: card) else {
            throw StoreError(.conflict, "card \(card.id) was taken over or erased since; nothing was fetched")
        }
    }

    private func fetched(_ job: FetchJob) async throws -> ImageFetcher.Outcome {
        let store = self.context.store
        let card = job.card.id
        return try await self.context.metrics.measure(.fetch) {
            try await self.fetcher.fetch(
                job,
                { bytes, offset, version in try await store.keep(bytes, at: offset, of: card, version: version) },
                { offset in try await store.source(of: card, at: offset) }
            )
        } endedAs: { outcome in
            switch outcome {
            case .complete: .accepted
            case .refused, .unusable: .rejected
            case .failed(let failure): failure.failureClass
            }
        }
    }

    /// What was kept cannot be joined or read; it costs an attempt, so that it ends.
    private static func incomplete(_ error: StoreError) -> ImageFetcher.Outcome {
        .failed(RemoteFailure(.transient, code: "pieces_incomplete", message: error.message))
    }

    private func conclude(_ attempt: Attempt) async throws {
        let conclusion = self.conclusion(of: attempt, now: self.context.time.now())
        try await self.leave(attempt.card, as: conclusion, attempt: attempt.record)
    }

    /// Concludes work on a leased card.
    ///
    /// - Parameter attempt: what was tried; `nil` if nothing was.
    func leave(_ card: Card, as conclusion: FetchConclusion, attempt: AttemptRecord?) async throws {
        let now = self.context.time.now()
        let changed = try await self.context.store.concludeFetching(card, as: conclusion, attempt: attempt, now: now)
        self.context.logger.debug(
            "card left fetching",
            metadata: [
                "card.id": "\(card.id)", "card.state": "\(changed.state.rawValue)",
                "attempt.code": "\(attempt?.code ?? "none")",
            ]
        )
        guard changed.state != .fetching else { return }
        self.context.monitor.changed(changed)
        self.context.applications.touch(card.metadata.businessNumber)
        self.context.board.announce(.prepare, .settle)
    }

    private func conclusion(of attempt: Attempt, now: Timestamp) -> FetchConclusion {
        switch attempt.outcome {
        case .complete(let digest): .complete(digest)
        case .unusable(let reason, let message): .rejected(reason, message: message)
        // Somebody may change the rules, or what the host sends: the address is kept for a retry.
        case .refused(let reason, let message): .failed(reason, message: message)
        case .failed(let failure): self.conclusion(of: failure, attempt, now: now)
        }
    }

    private func conclusion(of failure: RemoteFailure, _ attempt: Attempt, now: Timestamp) -> FetchConclusion {
        let card = attempt.card
        let costsAttempt: Bool
        switch failure.failureClass {
        case .accepted, .rejected, .shrink:
            let reason = ReasonCode(rawValue: failure.code)
            // 404 and 410 say that there is nothing; whatever else it says may be put right there.
            let isGone = failure.httpStatus == 404 || failure.httpStatus == 410
            return isGone ? .rejected(reason, message: failure.message) : .failed(reason, message: failure.message)
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
        let end = card.changedAt.advanced(by: self.context.settings.fetchMaximumAge)
        guard now < end else { return Self.tooOld(last: failure) }
        let policy = self.context.settings.retry
        let delay = self.context.random.draw { policy.delay(afterAttempt: failures, using: &$0) }
        let wait = max(delay, failure.retryAfter ?? (costsAttempt ? .zero : .seconds(1)))
        // Behind the one call by which a host that failed is tried: each trial is made with another card.
        let opening = attempt.closedUntil.map { costsAttempt ? $0.advanced(by: .milliseconds(1)) : $0 } ?? now
        return .retry(at: min(max(now.advanced(by: wait), opening), end), costsAttempt: costsAttempt)
    }

    /// The end of a card whose time is up.
    static func tooOld(last failure: RemoteFailure?) -> FetchConclusion {
        let last = failure.map { ", last with \($0.code): \($0.message)" } ?? ": its host had others to send first"
        return .failed(.attemptsExhausted, message: "the image was not fetched within fetch.max_age\(last)")
    }
}

extension FetchStage {
    /// One attempt that has ended.
    private struct Attempt {
        var card: Card
        var outcome: ImageFetcher.Outcome
        /// Until when the host is left alone.
        var closedUntil: Timestamp?
        var startedAt: Timestamp

        /// The same attempt with another outcome.
        func with(_ outcome: ImageFetcher.Outcome) -> Attempt {
            var attempt = self
            attempt.outcome = outcome
            return attempt
        }

        /// What is written down of it.
        var record: AttemptRecord {
            switch self.outcome {
            case .complete:
                AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: self.startedAt)
            case .refused(let reason, _), .unusable(let reason, _):
                AttemptRecord(
                    failureClass: .rejected,
                    code: reason.rawValue,
                    httpStatus: nil,
                    startedAt: self.startedAt
                )
            case .failed(let failure): AttemptRecord(failure, startedAt: self.startedAt)
            }
        }
    }
}

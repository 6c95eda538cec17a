import IDCardCore
import Logging

/// Takes `prepared` cards to the verification service and writes down the verdict.
struct VerifyStage: Sendable {
    let context: StageContext
    let verifier: CardVerifier
    let preparation: ImagePreparation
    let pool: any BlockingWork
    let gate: StageGate
    /// Equal bytes under way at once are posted once.
    let underway = KeyedExclusion<ReadingKey>()

    /// Verifies one leased card.
    func work(_ card: Card) async throws {
        guard let image = try await self.image(of: card) else { return }
        let key = ReadingKey(
            imageDigest: image.digest,
            provider: self.verifier.provider,
            parameters: self.verifier.parameters
        )
        do {
            try await self.underway.run(under: key) { try await self.judge(card, image: image, key: key) }
        } catch is CancellationError {
            // Interrupted is not failed: the card keeps its state and attempts, its lease is handed back at shutdown.
        }
    }

    /// The image of a card; one that the store cannot give concerns this card alone, which ends as `failed`.
    private func image(of card: Card) async throws -> PreparedImage? {
        do {
            return try await self.context.store.preparedImage(of: card.id)
        } catch let error as StoreError where error.concernsOneCard {
            self.context.logger.error(
                "image unreadable",
                metadata: ["card.id": "\(card.id)", "store.code": "\(error.code)"]
            )
            let conclusion = VerificationConclusion.failed(.imageUnreadable, message: StoreError.imageAdvice)
            try await self.conclude(card, as: conclusion, attempt: nil)
            return nil
        }
    }

    private func judge(_ card: Card, image: PreparedImage, key: ReadingKey) async throws {
        if let reading = try await self.context.store.reading(for: key) {
            return try await self.conclude(card, judging: reading, key: key, attempt: nil)
        }
        if let minimum = self.verifier.minimumEdge, min(image.width, image.height) < minimum {
            try await self.conclude(card, as: Self.tooSmall(image, minimum: minimum), attempt: nil)
            return
        }
        try self.context.board.checkMayBegin()
        let startedAt = self.context.time.now()
        let call: PacedCall
        switch self.gate.begin(card.id.rawValue, isRetry: card.attempts > 0, at: startedAt) {
        case .call(let permitted): call = permitted
        case .putOff(let until):
            try await self.conclude(card, as: .retry(at: until, costsAttempt: false), attempt: nil)
            return
        }
        let outcome = try await self.context.paced(call, of: .verify, through: self.gate) {
            try await self.verifier.verify(image.jpeg)
        }
        switch outcome {
        case .read(let reading):
            let attempt = AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: startedAt)
            try await self.conclude(card, judging: reading, key: key, attempt: attempt)
            // Not before it is written down: what the next call gets is set against it.
            await self.resume(call)
        case .failed(let failure):
            if failure.httpStatus != nil { self.gate.answered() }
            let attempt = AttemptRecord(failure, startedAt: startedAt)
            try await self.conclude(
                card,
                as: try await self.conclusion(of: failure, card: card, image: image, call: call),
                attempt: attempt
            )
        }
    }

    /// Larger in pixels is not sharper: the service could only refuse it, after the call is paid for.
    private static func tooSmall(_ image: PreparedImage, minimum: Int) -> VerificationConclusion {
        .rejected(
            .imageTooSmall,
            message:
                "the image has \(image.width)x\(image.height) pixels, the verifier takes \(minimum)x\(minimum) and more; "
                + "take a larger photo, or raise imaging.max_edge"
        )
    }

    /// Judges by what the sender says now: it may have put the metadata right while the card was at the service.
    private func conclude(
        _ claimed: Card,
        judging reading: CardReading,
        key: ReadingKey,
        attempt: AttemptRecord?
    ) async throws {
        var card = claimed
        while let changed = try await self.conclude(
            card,
            as: self.judgement(of: reading, metadata: card.metadata, key: key),
            attempt: attempt
        ), changed.state == .prepared {
            card.metadata = changed.metadata
        }
    }

    private func judgement(of reading: CardReading, metadata: CardMetadata, key: ReadingKey) -> VerificationConclusion {
        // Of several cards in the photo the one that is judged comes first, so that its fields are kept as the card's.
        let selected = reading.selecting(metadata.side)
        let judgement = self.context.settings.verdict.judge(
            selected,
            expecting: metadata.expectation,
            today: CalendarDay(inChinaAt: self.context.time.now())
        )
        return .judged(selected, key, judgement.verdict, warnings: judgement.warnings)
    }

    private func conclusion(
        of failure: RemoteFailure,
        card: Card,
        image: PreparedImage,
        call: PacedCall
    ) async throws -> VerificationConclusion {
        let now = self.context.time.now()
        switch failure.failureClass {
        case .accepted, .rejected:
            await self.resume(call)
            return .rejected(ReasonCode(rawValue: failure.code), message: failure.message)
        case .shrink:
            return try await self.smaller(card, image: image, refused: failure)
        case .throttled:
            return .retry(at: self.gate.throttled(at: now, for: failure.retryAfter), costsAttempt: false)
        case .notSent:
            return .retry(at: self.gate.notSent(at: now, random: self.context.random), costsAttempt: false)
        case .transient, .unknown:
            return try await self.retryOrFail(card, failure: failure, now: now)
        case .stop:
            return try await self.stopConclusion(card, failure: failure, call: call, now: now)
        }
    }

    /// Fails a card that alone gets what would stop the stage; else the stage is paused.
    private func stopConclusion(
        _ card: Card,
        failure: RemoteFailure,
        call: PacedCall,
        now: Timestamp
    ) async throws -> VerificationConclusion {
        let standing = try await self.context.store.standing(of: [card.id], at: .verify, now: now)
        let concernsCard = VerificationConclusion.failed(ReasonCode(rawValue: failure.code), message: failure.message)
        if failure.mayConcernOneCard, !failure.isUnlisted {
            if standing.hasStopped, standing.othersSucceededSinceStop { return concernsCard }
        } else if standing.stopConcernsCards, !failure.concernsAccount,
            self.gate.mayEndAlone(card.id.rawValue, atMost: 1)
        {
            return concernsCard
        }
        if failure.mayConcernOneCard, standing.otherStopped == 0 {
            // Twice in a row, and no other card.
            if standing.hasStopped { return concernsCard }
            // The first time: it is tried once more, but another card, if there is one, before it.
            self.gate.doubt()
            let time = self.retryTime(of: card, after: failure, failures: standing.failures + 1, now: now)
            return .retry(at: time, costsAttempt: false)
        }
        let pausing = self.context.pausing(self.gate)
        await pausing.pause(.verify, failure, after: call, isDoubtful: failure.mayConcernOneCard, now: now)
        // What others do not get is tried again less and less often.
        let isOdd = standing.othersSucceededSinceStop
        let time = isOdd ? self.retryTime(of: card, after: failure, failures: standing.failures + 1, now: now) : now
        return .retry(at: time, costsAttempt: false)
    }

    /// Counts a failure only if the service took another card since the last one: an outage is no card's fault.
    private func retryOrFail(
        _ card: Card,
        failure: RemoteFailure,
        now: Timestamp
    ) async throws -> VerificationConclusion {
        let standing = try await self.context.store.standing(of: [card.id], at: .verify, now: now)
        let isCounted = standing.othersSucceededSinceLast
        // The first failure is counted with the second: until then nothing told it from an outage.
        let cost = isCounted ? (card.attempts == 0 ? 2 : 1) : 0
        let last = "last with \(failure.code): \(failure.message)"
        if isCounted, card.attempts + cost >= self.context.settings.verifyMaximumAttempts {
            return .failed(.attemptsExhausted, message: "verification failed \(card.attempts + cost) times, \(last)")
        }
        if standing.othersSucceededSinceFirst, let first = standing.firstFailedAt,
            now >= first.advanced(by: self.context.settings.verifyMaximumAge)
        {
            return .failed(
                .attemptsExhausted,
                message: "not verified within verification.max_age, though other cards were, \(last)"
            )
        }
        let time = self.retryTime(of: card, after: failure, failures: standing.failures + 1, now: now)
        return .retry(at: time, attempts: cost)
    }

    private func retryTime(of card: Card, after failure: RemoteFailure, failures: Int, now: Timestamp) -> Timestamp {
        self.gate.retryTime(
            of: card.id.rawValue,
            after: failure,
            failures: failures,
            at: now,
            random: self.context.random
        )
    }

    private func smaller(
        _ card: Card,
        image: PreparedImage,
        refused failure: RemoteFailure
    ) async throws -> VerificationConclusion {
        let shrink = self.preparation.shrink
        guard !card.isShrunk, let smaller = try await self.pool.run({ shrink(image) }) else {
            let size = "\(image.width)x\(image.height) pixels, \(image.jpeg.count) bytes"
            return .rejected(
                card.isShrunk ? .imageTooLarge : ReasonCode(rawValue: failure.code),
                message:
                    "the verifier refuses the size of the image (\(size); \(failure.code)), and it cannot be made smaller; "
                    + "take a photo that the card fills"
            )
        }
        return .shrunk(smaller)
    }

    /// Writes a conclusion down; returns the card as it is then, or `nil` if it was taken away meanwhile.
    @discardableResult
    private func conclude(
        _ card: Card,
        as conclusion: VerificationConclusion,
        attempt: AttemptRecord?
    ) async throws -> Card? {
        let changed: Card
        do {
            changed = try await self.context.store.conclude(
                card,
                as: conclusion,
                attempt: attempt,
                now: self.context.time.now()
            )
        } catch let error as StoreError {
            let number = card.metadata.businessNumber
            guard try await self.context.wereTaken([card.id], under: [number], after: error) else { throw error }
            return nil
        }
        self.context.logger.debug(
            "card left verification",
            metadata: [
                "card.id": "\(card.id)", "card.state": "\(changed.state.rawValue)",
                "attempt.code": "\(attempt?.code ?? "kept_reading")",
            ]
        )
        guard changed.state != .prepared else {
            // It was put off, or is smaller now: the loop is to see when it is due.
            self.context.board.announce(.verify)
            return changed
        }
        self.context.monitor.changed(changed)
        self.context.applications.touch(card.metadata.businessNumber)
        self.context.board.announce(.settle)
        return changed
    }

    private func resume(_ call: PacedCall) async {
        await self.context.pausing(self.gate).resume(.verify, after: call)
    }
}

import IDCardCore

// Refusals by a code that no list explains: one is that of a card, several equal ones in a row that of a wrong TOKEN.
extension DeliverStage {
    /// Rejects the card of a delivery; or stops the stage and gives back all cards that were refused so, if they are too many.
    func handleUnlisted(_ failure: RemoteFailure, of delivery: Delivery, call: PacedCall) async throws {
        self.gate.answered()
        var attempt = AttemptRecord(failure, startedAt: call.startedAt)
        let rejected = DeliveryConclusion.rejected(ReasonCode(rawValue: failure.code), message: failure.message)
        if await self.hasStaleToken(delivery) {
            // Nobody knows whether it was refused for the TOKEN that it was formed with.
            attempt.provesEndpoint = nil
            return try await self.conclude(delivery, as: .dissolved, attempt: attempt)
        }
        if try await self.isKnownRefusal(of: delivery.members) {
            // Others were taken since it was refused before.
            attempt.provesEndpoint = nil
            return try await self.conclude(delivery, as: rejected, attempt: attempt)
        }
        attempt.provesEndpoint = false
        let now = self.context.time.now()
        let isStop = try await self.areTooMany(delivery.businessNumbers, refusedWith: failure.code, now: now)
        guard isStop, !delivery.mayHaveBeenReceived else {
            // With a wrong TOKEN it says nothing of what an earlier attempt came to, which only a person can find out.
            let conclusion = delivery.mayHaveBeenReceived ? Self.heldUnknown(failure) : rejected
            try await self.conclude(delivery, as: conclusion, attempt: attempt)
            return try await self.giveBack(refusedWith: failure, of: delivery, stoppingAfter: call)
        }
        let isWorthIt = await self.isWorthFormingAnew(delivery)
        if !isWorthIt { await self.stop(for: failure, after: call, now: now) }
        try await self.conclude(delivery, as: .dissolved, attempt: attempt, isProgress: isWorthIt)
        try await self.giveBack(refusedWith: failure, of: delivery)
    }

    /// Whether cards are refused for themselves: others were taken since they were refused before.
    func isKnownRefusal(of cards: [CardID]) async throws -> Bool {
        let standing = try await self.standing(of: cards)
        return standing.hasStopped && standing.othersSucceededSinceStop
    }

    /// Whether a delivery was formed with another TOKEN than forms are written with now, and may be formed again.
    private func hasStaleToken(_ delivery: Delivery) async -> Bool {
        guard !delivery.mayHaveBeenReceived, await self.backend.usesOtherToken(delivery.parts) else { return false }
        return !self.gate.dissolved(delivery.members)
    }

    /// Which cards of one reply were refused by a code of no list, so many in a row that the stage is to stop.
    func refusedInARow(
        _ members: [(card: CardID, item: DeliveryItemOutcome)],
        of delivery: Delivery,
        now: Timestamp
    ) async throws -> [CardID: RemoteFailure] {
        // One that was taken says that the others are refused for themselves.
        let areAlone = members.contains { if case .accepted = $0.item { true } else { false } }
        guard !areAlone, !delivery.mayHaveBeenReceived else { return [:] }
        var refused: [String: [(card: CardID, failure: RemoteFailure)]] = [:]
        for (card, item) in members {
            guard case .rejected(let failure) = item, failure.isUnlisted else { continue }
            refused[failure.code, default: []].append((card, failure))
        }
        var stopped: [CardID: RemoteFailure] = [:]
        guard !refused.isEmpty else { return stopped }
        let isStale = await self.hasStaleToken(delivery)
        for (code, cards) in refused {
            if isStale {
                for (card, failure) in cards { stopped[card] = failure }
                continue
            }
            var numbers: [BusinessNumber] = []
            for (card, _) in cards {
                if let number = try await self.context.store.card(card)?.metadata.businessNumber {
                    numbers.append(number)
                }
            }
            guard try await self.areTooMany(numbers, refusedWith: code, now: now) else { continue }
            for (card, failure) in cards { stopped[card] = failure }
        }
        return stopped
    }

    private func areTooMany(
        _ numbers: [BusinessNumber],
        refusedWith code: String,
        now: Timestamp
    ) async throws -> Bool {
        let limit = self.context.settings.equalRefusals
        guard limit > 0 else { return false }
        return try await self.context.store.numbersRefused(with: code, now: now).union(numbers).count >= limit
    }

    /// Stops the stage because of equal refusals in a row.
    func stop(for failure: RemoteFailure, after call: PacedCall, now: Timestamp) async {
        let stop = RemoteFailure(
            .stop,
            code: failure.code,
            message:
                "the backend refused several business numbers in a row with \(failure.code) and took none in between: "
                + "check delivery.token and the names of the form; if it is about single cards, list the code under "
                + "delivery.retcode.rejected",
            httpStatus: failure.httpStatus
        )
        await self.pausing.pause(.deliver, stop, after: call, isDoubtful: true, now: now)
    }

    /// Makes the cards verified again that were refused with the code of a failure, if they are too many: also those that
    /// were refused beside each other, each before the others were known.
    ///
    /// - Parameter call: the call after which this stops the stage, unless a new TOKEN is at hand; `nil` if that is decided.
    func giveBack(
        refusedWith failure: RemoteFailure,
        of delivery: Delivery,
        stoppingAfter call: PacedCall? = nil
    ) async throws {
        let now = self.context.time.now()
        // First, or those given back would be formed and sent at once.
        if let call, try await self.areTooMany([], refusedWith: failure.code, now: now),
            await !self.backend.hasNewToken(delivery.parts)
        {
            await self.stop(for: failure, after: call, now: now)
        }
        self.context.changed(try await self.context.giveBackRefused(with: failure.code, now: now))
    }
}

extension StageContext {
    /// Makes the cards verified again that were refused in a row with a code, or with any, if they are too many.
    func giveBackRefused(with code: String?, now: Timestamp) async throws -> [Card] {
        let limit = self.settings.equalRefusals
        guard limit > 0 else { return [] }
        return try await self.store.giveBackRefused(with: code, atLeast: limit, now: now)
    }

    /// Tells of cards that were given back, and has their business numbers decided on.
    func changed(_ cards: [Card]) {
        for card in cards {
            self.monitor.changed(card, isProgress: false)
            self.applications.touch(card.metadata.businessNumber)
        }
        self.board.announce(.settle)
    }
}

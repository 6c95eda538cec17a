import IDCardCore

extension DeliverStage {
    /// Takes in what the backend said of every card by itself.
    func handle(_ items: [DeliveryItemOutcome], of delivery: Delivery, call: PacedCall) async throws {
        guard items.count == delivery.members.count else {
            let failure = RemoteFailure(
                .unknown,
                code: "items_mismatch",
                message: "the backend answered for \(items.count) of \(delivery.members.count) cards"
            )
            return try await self.handle(.failed(failure), of: delivery, call: call)
        }
        let members = Array(zip(delivery.members, items))
        let taken = members.filter { if case .accepted = $1 { true } else { false } }.map(\.0)
        self.gate.took(taken)
        let now = self.context.time.now()
        let refused = try await self.refusedInARow(members.map { ($0, $1) }, of: delivery, now: now)
        var endings: [CardID: MemberConclusion] = [:]
        for (card, item) in members {
            endings[card] =
                refused[card] == nil
                ? try await self.ending(of: card, item: item, isDoubtful: taken.isEmpty, delivery: delivery)
                : .stopped(at: now, refused[card].map { ReasonCode(rawValue: $0.code) })
        }
        if let failure = refused.values.first, await !self.isWorthFormingAnew(delivery) {
            await self.stop(for: failure, after: call, now: now)
        }
        // One that was taken says that the TOKEN is right.
        if let expired = Self.expiredToken(in: items), taken.isEmpty {
            let concernsAll = endings.values.contains { if case .stopped = $0 { true } else { false } }
            if concernsAll, await !self.isWorthFormingAnew(delivery) {
                await self.pausing.pause(.deliver, expired, after: call, now: self.context.time.now())
            }
        } else if !taken.isEmpty || endings.values.contains(where: { $0.isAnswered || $0.failsByStop == false }) {
            await self.pausing.resume(.deliver, after: call)
        }
        let attempt = AttemptRecord(
            failureClass: taken.isEmpty ? .rejected : .accepted,
            code: "items",
            httpStatus: 200,
            startedAt: call.startedAt
        )
        try await self.conclude(
            delivery,
            as: .items(endings),
            attempt: attempt,
            // Sent away for now is no progress, or a backend that does so for ever would keep a run alive for ever.
            isProgress: endings.values.contains { !$0.isReturned }
        )
        for failure in Self.doubtfulRefusals(in: items, besides: taken) {
            let isDecided = !refused.isEmpty
            try await self.giveBack(refusedWith: failure, of: delivery, stoppingAfter: isDecided ? nil : call)
        }
    }

    /// The refusals by codes of no list, one of each code; none beside cards that were taken.
    private static func doubtfulRefusals(in items: [DeliveryItemOutcome], besides taken: [CardID]) -> [RemoteFailure] {
        guard taken.isEmpty else { return [] }
        var failures: [String: RemoteFailure] = [:]
        for case .rejected(let failure) in items where failure.isUnlisted { failures[failure.code] = failure }
        return Array(failures.values)
    }

    private static func expiredToken(in items: [DeliveryItemOutcome]) -> RemoteFailure? {
        for case .notApplied(let failure) in items where failure.failureClass == .stop { return failure }
        return nil
    }

    private func ending(
        of card: CardID,
        item: DeliveryItemOutcome,
        isDoubtful: Bool,
        delivery: Delivery
    ) async throws -> MemberConclusion {
        switch item {
        case .accepted(_, let code): return .delivered(code: code)
        case .rejected(let failure):
            var isAlone = !isDoubtful || !failure.isUnlisted
            if !isAlone { isAlone = try await self.isKnownRefusal(of: [card]) }
            if !isAlone, delivery.mayHaveBeenReceived {
                return .held(.outcomeUnknown, message: Self.unknownMessage(failure.code))
            }
            return .rejected(
                ReasonCode(rawValue: failure.code),
                message: failure.message,
                isDoubtful: !isAlone
            )
        case .notApplied(let failure):
            // It would go under another key, which the backend does not know from an earlier attempt.
            guard !delivery.mayHaveBeenReceived else {
                return .held(.outcomeUnknown, message: Self.unknownMessage(failure.code))
            }
            let now = self.context.time.now()
            guard failure.failureClass != .stop else {
                let standing = try await self.standing(of: [card])
                // Others of the same reply were taken, or others since the last time.
                let isAlone =
                    !isDoubtful && standing.hasStopped
                    || standing.stopConcernsCards && self.gate.mayEndAlone(card.rawValue, atMost: 1)
                if isAlone {
                    return .failed(ReasonCode(rawValue: failure.code), message: failure.message)
                }
                return .stopped(at: now, ReasonCode(rawValue: failure.code))
            }
            let attempts = try await self.context.store.card(card)?.attempts ?? 0
            let standing = try await self.standing(of: [card])
            let cost = isDoubtful ? Self.attemptsCost(of: standing, after: attempts) : 1
            let failures = attempts + cost
            guard cost == 0 || failures < self.context.settings.deliverMaximumAttempts else {
                return .held(.attemptsExhausted, message: Self.exhaustedMessage(failure, failures: failures))
            }
            let delay = self.context.random.draw { generator in
                self.context.settings.retry.delay(
                    afterAttempt: max(failures, standing.failures + 1),
                    using: &generator
                )
            }
            return .returned(at: now.advanced(by: max(delay, failure.retryAfter ?? .zero)), attempts: cost)
        }
    }
}

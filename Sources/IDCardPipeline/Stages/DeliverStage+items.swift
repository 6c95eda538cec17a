import IDCardCore

extension DeliverStage {
    /// Takes in what the backend said of every card by itself.
    func handle(_ items: [DeliveryItemOutcome], of delivery: Delivery, startedAt: Timestamp) async throws {
        guard items.count == delivery.members.count else {
            let failure = RemoteFailure(
                .unknown,
                code: "items_mismatch",
                message: "the backend answered for \(items.count) of \(delivery.members.count) cards"
            )
            return try await self.handle(.failed(failure), of: delivery, startedAt: startedAt)
        }
        let members = Array(zip(delivery.members, items))
        let taken = members.filter { if case .accepted = $1 { true } else { false } }.map(\.0)
        self.gate.took(taken)
        if let expired = Self.expiredToken(in: items) {
            if await !self.isWorthFormingAnew(delivery) {
                await self.pausing.pause(.deliver, expired, now: self.context.time.now())
            }
        } else {
            await self.pausing.resume(.deliver, callFrom: startedAt)
        }
        var endings: [CardID: MemberConclusion] = [:]
        for (card, item) in members { endings[card] = try await self.ending(of: card, item: item, delivery: delivery) }
        let attempt = AttemptRecord(
            failureClass: taken.isEmpty ? .rejected : .accepted,
            code: "items",
            httpStatus: 200,
            startedAt: startedAt
        )
        try await self.conclude(delivery, as: .items(endings), attempt: attempt)
    }

    private static func expiredToken(in items: [DeliveryItemOutcome]) -> RemoteFailure? {
        for case .notApplied(let failure) in items where failure.failureClass == .stop { return failure }
        return nil
    }

    private func ending(
        of card: CardID,
        item: DeliveryItemOutcome,
        delivery: Delivery
    ) async throws -> MemberConclusion {
        switch item {
        case .accepted(_, let code): return .delivered(code: code)
        case .rejected(let failure): return .rejected(ReasonCode(rawValue: failure.code), message: failure.message)
        case .notApplied(let failure):
            // It would go under another key, which the backend does not know from an earlier attempt.
            guard !delivery.mayHaveBeenReceived else {
                return .held(.outcomeUnknown, message: Self.unknownMessage(failure.code))
            }
            let now = self.context.time.now()
            guard failure.failureClass != .stop else { return .returned(at: now, costsAttempt: false) }
            let failures = (try await self.context.store.card(card)?.attempts ?? 0) + 1
            guard failures < self.context.settings.deliverMaximumAttempts else {
                return .held(.attemptsExhausted, message: Self.exhaustedMessage(failure, failures: failures))
            }
            let delay = self.context.random.draw { generator in
                self.context.settings.retry.delay(afterAttempt: failures, using: &generator)
            }
            return .returned(at: now.advanced(by: max(delay, failure.retryAfter ?? .zero)), costsAttempt: true)
        }
    }
}

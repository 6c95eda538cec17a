package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func claimDeliveries(
        limit: Int,
        order: ClaimOrder,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Delivery] {
        self.memory.change { state in
            let due = state.deliveries.values
                .filter { $0.phase == .open && $0.lease == nil && ($0.nextAttemptAt ?? now) <= now }
                .sorted { ($1.priority, $0.number) < ($0.priority, $1.number) }
            let picked = state.picked(from: due, limit: limit, order: order, at: .deliver) { $0.delivery.members }
            return picked.map { entry in
                var delivery = entry.delivery
                state.deliveries[delivery.id]?.lease = InMemoryState.Lease(owner: self.owner, expiry: expiry)
                delivery.mayHaveBeenReceived = entry.mayHaveBeenReceived
                delivery.awaitsDecision = entry.awaitsDecision
                delivery.lastAttempt = entry.lastAttempt
                return delivery
            }
        }
    }

    package func beginAttempt(of delivery: DeliveryID, after last: Int, now: Timestamp) async throws -> Int {
        try self.memory.change { state in
            var entry = try state.leased(delivery, by: self.owner, lastAttempt: last)
            if entry.hasOpenAttempt {
                let interruption = AttemptRecord(
                    failureClass: .unknown,
                    code: "interrupted",
                    httpStatus: nil,
                    startedAt: now
                )
                entry.ended.append(interruption)
                state.tellMembers(of: entry, code: interruption.code, now: now)
            }
            entry.hasOpenAttempt = true
            state.deliveries[delivery] = entry
            let origin = AccessOrigin.engine("\(self.owner)", purpose: AccessPurpose.deliver)
            for card in entry.delivery.members { state.note(.deliver, of: card, by: origin, now: now) }
            return entry.lastAttempt
        }
    }

    package func postpone(_ delivery: DeliveryID, after last: Int, until time: Timestamp) async throws {
        try self.memory.change { state in
            var entry = try state.leased(delivery, by: self.owner, lastAttempt: last)
            entry.lease = nil
            entry.nextAttemptAt = time
            state.postponeMembers(of: entry, until: time, attempts: 0)
            state.deliveries[delivery] = entry
        }
    }

    package func conclude(
        _ delivery: DeliveryID,
        as conclusion: DeliveryConclusion,
        attempt: AttemptRecord,
        number: Int,
        now: Timestamp
    ) async throws -> [Card] {
        try self.memory.change { state in
            var entry = try state.leased(delivery, by: self.owner, lastAttempt: number)
            entry.ended.append(attempt)
            entry.hasOpenAttempt = false
            entry.lease = nil
            let acting = state.actingMembers(of: entry)
            state.tellMembers(of: entry, code: attempt.code, now: now)
            switch conclusion {
            case .delivered(let code):
                entry.phase = .delivered
                try state.moveMembers(of: entry, to: .delivered, code: code, now: now)
            case .items(let endings):
                entry.phase = Self.phase(of: endings.values)
                for card in acting {
                    guard let ending = endings[card] else {
                        throw StoreError(.conflict, "the reply does not speak of card \(card); nothing was changed")
                    }
                    try state.end(card, as: ending, now: now)
                }
            case .rejected(let reason, let message):
                entry.phase = .rejected
                try state.moveMembers(of: entry, to: .rejected, reason: reason, message: message, now: now)
            case .failed(let reason, let message):
                entry.phase = .rejected
                try state.moveMembers(of: entry, to: .failed, reason: reason, message: message, now: now)
            case .held(let reason, let message):
                entry.phase = .held
                try state.moveMembers(of: entry, to: .held, reason: reason, message: message, now: now)
            case .dissolved:
                entry.phase = .dissolved
                try state.moveMembers(of: entry, to: .verified, now: now)
                for card in acting { state.cards[card]?.card.delivery = nil }
            case .retry(let time, let attempts):
                entry.delivery.attempts += attempts
                entry.nextAttemptAt = time
                state.postponeMembers(of: entry, until: time, attempts: attempts)
            }
            if entry.phase != .open, entry.phase != .held { entry.empty() }
            state.deliveries[delivery] = entry
            state.note(attempt, of: acting, endingAs: conclusion, now: now)
            return try acting.map { try state.entry(of: $0).card }
        }
    }
}

extension InMemoryStore {
    private static func phase(of endings: some Collection<MemberConclusion>) -> InMemoryState.DeliveryPhase {
        if endings.contains(where: \.isUnknown) { return .held }
        if endings.allSatisfy(\.isReturned) { return .dissolved }
        return endings.contains(where: \.isDelivered) ? .delivered : .rejected
    }
}

extension InMemoryState {
    fileprivate func leased(_ delivery: DeliveryID, by owner: Int, lastAttempt: Int) throws -> DeliveryEntry {
        guard let entry = self.deliveries[delivery] else {
            throw StoreError(.notFound, "there is no delivery \(delivery)")
        }
        guard entry.phase == .open, entry.lease?.owner == owner, entry.lastAttempt == lastAttempt else {
            throw StoreError(.conflict, "delivery \(delivery) is not leased for sending any more; nothing was changed")
        }
        return entry
    }

    /// The members that its conclusion moves: not those that went their own way when it was concluded before.
    func actingMembers(of entry: DeliveryEntry) -> [CardID] {
        entry.delivery.members.filter { id in
            self.cards[id].map { $0.card.state == .delivering && $0.card.delivery == entry.delivery.id } ?? false
        }
    }

    mutating func tellMembers(of entry: DeliveryEntry, code: String, now: Timestamp) {
        for card in self.actingMembers(of: entry) {
            self.append(CardEvent(at: now, kind: "attempt", code: code), to: card)
        }
    }

    fileprivate mutating func moveMembers(
        of entry: DeliveryEntry,
        to state: CardState,
        reason: ReasonCode? = nil,
        message: String? = nil,
        code: String? = nil,
        now: Timestamp
    ) throws {
        for card in self.actingMembers(of: entry) {
            try self.move(
                card,
                from: .delivering,
                to: state,
                reason: reason,
                message: message,
                code: code,
                now: now
            )
        }
    }

    fileprivate mutating func end(_ card: CardID, as ending: MemberConclusion, now: Timestamp) throws {
        switch ending {
        case .delivered(let code): try self.move(card, from: .delivering, to: .delivered, code: code, now: now)
        case .rejected(let reason, let message, _):
            try self.move(card, from: .delivering, to: .rejected, reason: reason, message: message, now: now)
        case .held(let reason, let message):
            try self.move(card, from: .delivering, to: .held, reason: reason, message: message, now: now)
        case .failed(let reason, let message):
            try self.move(card, from: .delivering, to: .failed, reason: reason, message: message, now: now)
        case .returned(let time, _), .stopped(let time, _):
            var cost = 0
            if case .returned(_, let attempts) = ending { cost = attempts }
            let attempts = try self.entry(of: card).card.attempts
            try self.move(card, from: .delivering, to: .verified, now: now)
            self.cards[card]?.card.attempts = attempts + cost
            self.cards[card]?.card.nextAttemptAt = time
            self.cards[card]?.card.delivery = nil
        }
    }

    fileprivate mutating func postponeMembers(of entry: DeliveryEntry, until time: Timestamp, attempts: Int) {
        for card in entry.delivery.members where self.cards[card]?.card.state == .delivering {
            self.cards[card]?.card.attempts += attempts
            self.cards[card]?.card.nextAttemptAt = time
        }
    }
}

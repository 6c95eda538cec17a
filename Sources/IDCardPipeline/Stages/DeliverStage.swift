import Foundation
import IDCardCore
import Logging

/// Sends persisted deliveries to the business backend, byte for byte the same at every attempt.
struct DeliverStage: Sendable {
    let context: StageContext
    let backend: BusinessBackend
    let gate: StageGate
    let assembly: BatchAssembly

    /// Makes one attempt of one leased delivery.
    func work(_ delivery: Delivery) async throws {
        do {
            try await self.attempt(delivery)
        } catch let error as StoreError {
            let numbers = delivery.businessNumbers
            guard try await self.context.wereTaken(delivery.members, under: numbers, after: error) else { throw error }
        }
    }

    private func attempt(_ claimed: Delivery) async throws {
        var delivery = claimed
        let startedAt = self.context.time.now()
        if delivery.awaitsDecision, self.context.settings.onUnknown == .hold {
            let attempt = AttemptRecord(
                failureClass: .unknown,
                code: "interrupted",
                httpStatus: nil,
                startedAt: startedAt
            )
            return try await self.conclude(delivery, as: Self.heldUnknown("interrupted"), attempt: attempt)
        }
        do {
            guard let outbound = try await self.outbound(delivery, startedAt: startedAt) else { return }
            // Once an attempt is written down, nobody knows what became of it until it is concluded.
            try Task.checkCancellation()
            try self.context.board.checkMayBegin()
            guard let call = try await self.permit(delivery) else { return }
            let sent = try await self.context.paced(call, of: .deliver, through: self.gate) {
                let number = try await self.context.store.beginAttempt(
                    of: claimed.id,
                    after: claimed.lastAttempt,
                    now: startedAt
                )
                return NumberedOutcome(number: number, outcome: try await self.backend.send(outbound))
            }
            // What is concluded from here on is this attempt.
            delivery.lastAttempt = sent.number
            try await self.handle(sent.outcome, of: delivery, call: call)
        } catch is CancellationError {
            // Interrupted: the attempt stays without an outcome, so that the next one knows it may have been received.
        }
    }

    /// What is sent; `nil` if a stored image cannot be read: that concerns this delivery alone, whose members are held.
    private func outbound(_ delivery: Delivery, startedAt: Timestamp) async throws -> OutboundDelivery? {
        var images: [CardID: Data] = [:]
        do {
            for card in delivery.members {
                images[card] = try await self.context.store.preparedImage(of: card).jpeg
            }
        } catch let error as StoreError where error.concernsOneCard {
            try await self.holdUnreadable(delivery, startedAt: startedAt)
            return nil
        }
        return OutboundDelivery(
            idempotencyKey: delivery.id.rawValue,
            boundary: delivery.boundary,
            parts: delivery.parts,
            images: images,
            confidential: try await self.context.store.confidential(of: delivery.members)
        )
    }

    private func holdUnreadable(_ delivery: Delivery, startedAt: Timestamp) async throws {
        let code = ReasonCode.imageUnreadable
        // What an earlier attempt may have done outweighs that there cannot be another.
        let mayBeThere = delivery.mayHaveBeenReceived
        let attempt = AttemptRecord(
            failureClass: mayBeThere ? .unknown : .notSent,
            code: code.rawValue,
            httpStatus: nil,
            startedAt: startedAt
        )
        let conclusion: DeliveryConclusion =
            if mayBeThere {
                Self.heldUnknown(code.rawValue)
            } else if delivery.members.count > 1 {
                // The others go without it: who forms the next delivery meets the image, too.
                .dissolved
            } else {
                .held(code, message: StoreError.imageAdvice)
            }
        try await self.conclude(delivery, as: conclusion, attempt: attempt)
    }

    func handle(_ outcome: DeliveryOutcome, of delivery: Delivery, call: PacedCall) async throws {
        let startedAt = call.startedAt
        switch outcome {
        case .accepted(alreadyExisted: true, let code) where delivery.members.count > 1:
            // Of which card it speaks, and whether it took the others, nobody knows.
            await self.pausing.resume(.deliver, after: call)
            let attempt = AttemptRecord(failureClass: .rejected, code: code, httpStatus: 200, startedAt: startedAt)
            try await self.conclude(delivery, as: self.takenApart(delivery, code: code), attempt: attempt)
        case .accepted(_, let code):
            self.gate.took(delivery.members)
            let attempt = AttemptRecord(failureClass: .accepted, code: code, httpStatus: 200, startedAt: startedAt)
            try await self.conclude(delivery, as: .delivered(code: code), attempt: attempt)
            // Not before it is written down: what the next call gets is set against it.
            await self.pausing.resume(.deliver, after: call)
        case .items(let items):
            try await self.handle(items, of: delivery, call: call)
        case .tokenExpired(let failure):
            try await self.handleExpiredToken(failure, of: delivery, call: call)
        case .failed(let failure) where failure.isUnlisted && delivery.members.count == 1:
            try await self.handleUnlisted(failure, of: delivery, call: call)
        case .failed(let failure):
            if failure.httpStatus != nil { self.gate.answered() }
            let conclusion = try await self.conclusion(of: failure, delivery: delivery, call: call)
            var attempt = AttemptRecord(failure, startedAt: startedAt)
            // Asked about one by one, its cards tell more.
            if failure.isUnlisted { attempt.provesEndpoint = nil }
            try await self.conclude(delivery, as: conclusion, attempt: attempt)
        }
    }

    /// A refused TOKEN was not applied, and a new one changes the bytes: the members go into a new delivery; unless an earlier attempt may
    /// have been received.
    private func handleExpiredToken(
        _ failure: RemoteFailure,
        of delivery: Delivery,
        call: PacedCall
    ) async throws {
        let attempt = AttemptRecord(failure, startedAt: call.startedAt)
        let isWorthIt = await self.isWorthFormingAnew(delivery)
        if !isWorthIt, try await self.isRefusedAlone(delivery) {
            return try await self.conclude(delivery, as: self.refusedAlone(delivery, failure), attempt: attempt)
        }
        if !isWorthIt { await self.pausing.pause(.deliver, failure, after: call, now: self.context.time.now()) }
        let conclusion: DeliveryConclusion =
            delivery.mayHaveBeenReceived ? Self.heldUnknown(failure) : .dissolved
        try await self.conclude(
            delivery,
            as: conclusion,
            attempt: attempt,
            // Taken apart to no avail is no progress, or a TOKEN that stays refused would keep a run alive for ever.
            isProgress: isWorthIt || conclusion != .dissolved
        )
    }

    /// Whether the TOKEN is another one by now, and forming deliveries anew has not failed too often in a row.
    func isWorthFormingAnew(_ delivery: Delivery) async -> Bool {
        guard await self.backend.hasNewToken(delivery.parts) else { return false }
        return !self.gate.dissolved(delivery.members)
    }

    /// How the calls about some cards have gone.
    func standing(of cards: [CardID]) async throws -> CallStanding {
        try await self.context.store.standing(of: cards, at: .deliver, now: self.context.time.now())
    }

    private func conclusion(
        of failure: RemoteFailure,
        delivery: Delivery,
        call: PacedCall
    ) async throws -> DeliveryConclusion {
        let now = self.context.time.now()
        switch failure.failureClass {
        case .accepted:
            return .delivered(code: failure.code)
        case .rejected, .shrink:
            if !failure.isUnlisted { await self.pausing.resume(.deliver, after: call) }
            // One odd card, or the mere size of the whole, must not be the end of the cards beside it.
            if delivery.members.count > 1 { return self.takenApart(delivery, code: failure.code) }
            return .rejected(ReasonCode(rawValue: failure.code), message: failure.message)
        case .throttled:
            return .retry(at: self.gate.throttled(at: now, for: failure.retryAfter), costsAttempt: false)
        case .notSent:
            return .retry(at: self.gate.notSent(at: now, random: self.context.random), costsAttempt: false)
        case .transient, .unknown:
            return try await self.retryOrHold(failure, delivery: delivery, now: now)
        case .stop:
            // 401 and 403 apply nothing: with another TOKEN at hand the old bytes need not be sent for ever.
            if failure.refusesCredentials, await self.isWorthFormingAnew(delivery) {
                return delivery.mayHaveBeenReceived ? Self.heldUnknown(failure) : .dissolved
            }
            if try await self.isRefusedAlone(delivery) { return self.refusedAlone(delivery, failure) }
            await self.pausing.pause(.deliver, failure, after: call, now: now)
            return .retry(at: now, costsAttempt: false)
        }
    }

    /// Whether what would stop the stage concerns a delivery alone. One may end so until the backend takes another: what the
    /// next one gets stops the stage.
    private func isRefusedAlone(_ delivery: Delivery) async throws -> Bool {
        guard try await self.standing(of: delivery.members).stopConcernsCards else { return false }
        // Several cards are asked about one by one, which ends none.
        return delivery.members.count > 1 || self.gate.mayEndAlone(delivery.id.rawValue, atMost: 1)
    }

    /// What becomes of a delivery that alone gets what would stop the stage.
    private func refusedAlone(_ delivery: Delivery, _ failure: RemoteFailure) -> DeliveryConclusion {
        if delivery.mayHaveBeenReceived { return Self.heldUnknown(failure) }
        // One odd card must not be the end of the cards beside it.
        if delivery.members.count > 1 { return self.takenApart(delivery, code: failure.code) }
        return .failed(ReasonCode(rawValue: failure.code), message: failure.message)
    }

    /// What becomes of several cards that were answered as one: each is asked about by itself, under a key of its own;
    /// unless the backend may hold them by an earlier attempt, which only a person can tell.
    private func takenApart(_ delivery: Delivery, code: String) -> DeliveryConclusion {
        guard !delivery.mayHaveBeenReceived else { return Self.heldUnknown(code) }
        self.assembly.sendAlone(delivery.members)
        return .dissolved
    }

    private func retryOrHold(
        _ failure: RemoteFailure,
        delivery: Delivery,
        now: Timestamp
    ) async throws -> DeliveryConclusion {
        let isUnknown = failure.failureClass == .unknown
        if isUnknown, self.context.settings.onUnknown == .hold || failure.isKeyConflict {
            return Self.heldUnknown(failure)
        }
        let standing = try await self.standing(of: delivery.members)
        let cost = isUnknown ? 1 : Self.attemptsCost(of: standing, after: delivery.attempts)
        let failures = delivery.attempts + cost
        guard cost == 0 || failures < self.context.settings.deliverMaximumAttempts else {
            if isUnknown || delivery.mayHaveBeenReceived { return Self.heldUnknown(failure) }
            return .held(.attemptsExhausted, message: Self.exhaustedMessage(failure, failures: failures))
        }
        let time = self.gate.retryTime(
            of: delivery.id.rawValue,
            after: failure,
            failures: max(failures, standing.failures + 1),
            at: now,
            random: self.context.random
        )
        return .retry(at: time, attempts: cost)
    }

    /// How many attempts a refusal for now costs: only such a one counts as came after the backend took another card since
    /// the last, for an outage is no card's fault. The first is counted with the second: until then nothing told it from one.
    static func attemptsCost(of standing: CallStanding, after attempts: Int) -> Int {
        standing.othersSucceededSinceLast ? (attempts == 0 ? 2 : 1) : 0
    }

    func conclude(
        _ delivery: Delivery,
        as conclusion: DeliveryConclusion,
        attempt: AttemptRecord,
        isProgress: Bool = true
    ) async throws {
        let cards = try await self.context.store.conclude(
            delivery.id,
            as: conclusion,
            attempt: attempt,
            number: delivery.lastAttempt,
            now: self.context.time.now()
        )
        self.context.logger.debug(
            "delivery attempted",
            metadata: [
                "delivery.id": "\(delivery.id)", "attempt.class": "\(attempt.failureClass.rawValue)",
                "attempt.code": "\(attempt.code)",
            ]
        )
        if case .retry = conclusion { return self.context.board.announce(.deliver) }
        for card in cards { self.context.monitor.changed(card, isProgress: isProgress) }
        for number in delivery.businessNumbers { self.context.applications.touch(number) }
        self.context.board.announce(.settle)
    }

    var pausing: StagePausing {
        self.context.pausing(self.gate)
    }

    private static func heldUnknown(_ code: String) -> DeliveryConclusion {
        .held(.outcomeUnknown, message: self.unknownMessage(code))
    }

    static func heldUnknown(_ failure: RemoteFailure) -> DeliveryConclusion {
        .held(.outcomeUnknown, message: self.unknownMessage("\(failure.code): \(failure.message)"))
    }

    static func unknownMessage(_ what: String) -> String {
        "the backend may or may not hold this document, look there (last attempt: \(what))"
    }

    static func exhaustedMessage(_ failure: RemoteFailure, failures: Int) -> String {
        "the backend answered \(failure.code) \(failures) times: \(failure.message)"
    }
}

extension RemoteFailure {
    /// Whether the backend holds other content under our key (HTTP 422): resending cannot help.
    fileprivate var isKeyConflict: Bool { self.httpStatus == 422 }

    /// Whether the backend refused who we are, before it looked at what we send.
    fileprivate var refusesCredentials: Bool { self.httpStatus == 401 || self.httpStatus == 403 }
}

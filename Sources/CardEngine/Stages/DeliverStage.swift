import CardModel
import CardStore
import Synchronization

/// Forms deliveries of the cards that the rules let go, sends them, and sends those again that have no final answer.
final class DeliverStage: StageWork {
    enum Job: Sendable {
        /// A delivery that was attempted before: the same bytes are sent again.
        case again(DeliveryJob)
        /// Cards for a new delivery, and the proposals that the rules made for their numbers.
        case new([DeliveryMember], [DeliveryProposal])
    }

    struct Call: Sendable {
        let delivery: DeliveryJob
        /// Whether the delivery was formed by this job, so that its numbers are in ``busy``.
        var isNew = false
        /// Whether its form would be different now, with another TOKEN or other fields.
        var isOutdated = false
    }

    let stage = Stage.deliver
    let states: Set<CardState> = [.verified, .delivering]
    let scarcestSpace = DiskSpace.finishingOnly
    var gate: EndpointGate? { self.endpoint }
    private let endpoint: EndpointGate
    private let context: EngineContext
    /// The numbers for which this process is forming or sending a new delivery.
    private let busy = Mutex<Set<BusinessNumber>>([])
    /// How many new deliveries are claimed and not stored yet.
    private let forming = Mutex(0)
    /// The numbers refused since the last success with an unlisted code or a status about the address: the endpoint, not the
    /// cards, may be the cause.
    private let suspects = Mutex<Set<BusinessNumber>>([])
    /// The TOKENs refused since the last success: if there are two, the account is refused, not an expired TOKEN.
    private let refusedTokens = Mutex<Set<Redacted<String>>>([])
    /// Whether the last probe was a new delivery.
    private let probesNew = Mutex(false)
    private let gathering: BatchGathering

    init(context: EngineContext, gate: EndpointGate) {
        self.context = context
        self.endpoint = gate
        self.gathering = BatchGathering(context: context)
    }

    func nextDue() async throws -> Timestamp? {
        let now = self.context.time.now()
        let delivery = try await self.context.store.deliveries.nextDelivery(now: now)
        // The sandbox also reports numbers whose cards gather as due; these go only when the gathering ends.
        if let left = self.gathering.timeLeft {
            let gatheringEnd = now.advanced(by: left)
            return min(delivery ?? gatheringEnd, gatheringEnd)
        }
        let decision = try await self.context.store.deliveries.nextDecision(now: now)
        return [delivery, decision].compactMap(\.self).min()
    }

    // MARK: Claiming

    /// One of the queries to the sandbox that make up a claim.
    private enum Turn {
        /// Deliveries that are due again; the one that failed longest ago first. The query goes straight to the writer: a read
        /// beforehand would miss a delivery that is being concluded.
        case again
        /// Cards for at most `limit` new deliveries.
        case new(untriedOnly: Bool, limit: Int)
        /// Deliveries that are due again, then cards for new ones, in one query.
        case all
        /// Deliveries whose answer could not be understood.
        case unreadable
    }

    /// Claims by several queries in order, until the limit is reached.
    func claim(_ limit: Int) async throws -> Claimed<Job> {
        let now = self.context.time.now()
        var claimed = Claimed<Job>()
        var newCount = 0
        for turn in try await self.turns() where claimed.jobs.count < limit {
            let room = limit - claimed.jobs.count
            switch turn {
            case .again: claimed.add(try await self.claimRepeats(room, longestAgoFirst: true, now: now))
            case .unreadable:
                claimed.add(try await self.claimRepeats(room, scope: .unreadable, longestAgoFirst: true, now: now))
            case .new(let untriedOnly, let limit):
                guard limit > newCount else { continue }
                let new = try await self.propose(min(room, limit - newCount), untriedOnly: untriedOnly, now: now)
                newCount += new.jobs.count
                claimed.add(new)
            case .all: claimed.add(try await self.propose(room, repeatsFirst: true, now: now))
            }
        }
        return claimed
    }

    private func claimRepeats(
        _ limit: Int,
        scope: ClaimScope = .all,
        longestAgoFirst: Bool,
        now: Timestamp
    ) async throws -> Claimed<Job> {
        try await self.context.store.deliveries.claimDeliveries(
            by: self.context.worker,
            limit: limit,
            scope: scope,
            longestAgoFirst: longestAgoFirst,
            now: now
        ).map(Job.again)
    }

    /// Returns the queries of a claim, in order.
    ///
    /// A delivery that was attempted goes before a new one. While the backend fails, few new ones are formed, because a
    /// delivery keeps the TOKEN with which it was formed. Probes alternate between the two kinds, so that a document that
    /// always fails does not delay the others.
    private func turns() async throws -> [Turn] {
        if let unreadable = self.endpoint.unreadable {
            // While only one number has unreadable answers, a delivery of another number shows whether the endpoint is the
            // cause. When a probe is due, an unreadable delivery is sent again.
            let new = Turn.new(untriedOnly: false, limit: 1)
            return (unreadable.isLone ? [.again, new] : []) + (self.endpoint.probesUnreadable ? [.unreadable] : [])
        }
        guard self.endpoint.isFailing else { return [.all] }
        guard self.endpoint.isProbing else {
            // `forming` is read before the query, so that a delivery stored in between counts twice rather than not at all.
            let forming = self.forming.withLock(\.self)
            let limit =
                try await Limits.undecidedWhileFailing - forming - self.context.store.deliveries.undecidedDeliveries()
            return [.again, .new(untriedOnly: true, limit: limit), .new(untriedOnly: false, limit: limit)]
        }
        // If the backend cannot be reached, no document is the cause, so the probe need not be a new delivery.
        let isNew = self.probesNew.withLock { isNew in
            isNew = self.endpoint.failsToConnect ? false : !isNew
            return isNew
        }
        let new = Turn.new(untriedOnly: true, limit: 1)
        return (isNew ? [new, .again] : [.again, new]) + [.new(untriedOnly: false, limit: 1)]
    }

    /// Claims cards for new deliveries, as the rules propose.
    ///
    /// - Parameter repeatsFirst: whether deliveries that are due again are claimed before.
    private func propose(
        _ limit: Int,
        untriedOnly: Bool = false,
        repeatsFirst: Bool = false,
        now: Timestamp
    ) async throws -> Claimed<Job> {
        let isBatch = self.context.settings.policy.layout == .batch
        // Read before the cards: the proposals would lack a card that comes between the two.
        let nothingComes = self.context.board.nothingComes
        let found = try await self.context.store.deliveries.proposeDeliveries(
            limit: isBatch ? limit * self.context.settings.batchMaxCards : limit,
            excluding: self.busy.withLock { $0 },
            untriedOnly: untriedOnly,
            terms: self.context.deciding,
            now: now
        )
        var claimed = Claimed<Job>()
        if repeatsFirst, found.areRepeatsDue {
            claimed = try await self.claimRepeats(limit, longestAgoFirst: false, now: now)
        }
        let left = limit - claimed.jobs.count
        let waiting = found.proposals.filter(\.groups.isEmpty)
        if !waiting.isEmpty {
            claimed.changes += try await self.context.store.deliveries.decide(waiting, now: now)
        }
        // One delivery of a number at a time: its result decides about the number's next one.
        let groups = found.proposals.compactMap(\.groups.first)
        let formed =
            isBatch
            ? try await self.gathering.gather(groups, isAll: !untriedOnly, limit: left, nothingComes: nothingComes)
            : Array(groups.prefix(left))
        self.busy.withLock { $0.formUnion(formed.joined().map(\.businessNumber)) }
        self.forming.withLock { $0 += formed.count }
        claimed.jobs += formed.map { members in
            let numbers = Set(members.map(\.businessNumber))
            return .new(members, found.proposals.filter { numbers.contains($0.number) })
        }
        // The layout `batch` claims only some numbers at a time, and most of them may still gather. Once those that go are
        // `busy`, the next claim finds others.
        claimed.isPartial = claimed.isPartial || !waiting.isEmpty || isBatch && !formed.isEmpty
        return claimed
    }

    // MARK: Sending

    /// Sends the same bytes again, or forms a new delivery.
    ///
    /// If the TOKEN or the form has changed since, a delivery that never reached the backend is formed again instead; one that
    /// may have reached it is sent once more.
    func begin(_ job: Job) async throws -> Beginning<Call, DeliveryOutcome> {
        switch job {
        case .again(let delivery):
            let call = Call(delivery: delivery, isOutdated: await self.isOutdated(delivery))
            return call.isOutdated && !delivery.mayBeApplied ? .known(.failed(.formChanged), call) : self.sending(call)
        case .new(let members, var proposals):
            defer { self.forming.withLock { $0 -= 1 } }
            do {
                if let delivery = try await self.form(members, &proposals) {
                    return self.sending(Call(delivery: delivery, isNew: true))
                }
            } catch let failure as RemoteFailure {
                self.release(proposals.map(\.number))
                return .failed(failure)
            }
            self.release(proposals.map(\.number))
            return .over
        }
    }

    /// Lets the next claim find these numbers again.
    private func release(_ numbers: some Sequence<BusinessNumber>) { self.busy.withLock { $0.subtract(numbers) } }

    /// Returns the call, unless the endpoint has begun to pause since the claim.
    private func sending(_ call: Call) -> Beginning<Call, DeliveryOutcome> {
        self.endpoint.isPausing ? .known(.failed(.withheld), call) : .call(call)
    }

    /// Whether the form of a delivery would be different now; `false` while there is no TOKEN to compare.
    private func isOutdated(_ job: DeliveryJob) async -> Bool {
        let backend = self.context.ports.backend
        guard !job.current.isEmpty, let parts = try? await backend.parts(for: job.current) else { return false }
        return parts != job.outbound.parts || backend.body != job.outbound.body
    }

    /// Stores a new delivery; `nil` if there is none to send.
    ///
    /// - Parameter proposals: loses the proposals whose case has changed since; their numbers are released.
    /// - Throws: `RemoteFailure` if the TOKEN is missing; nothing is stored then.
    private func form(_ members: [DeliveryMember], _ proposals: inout [DeliveryProposal]) async throws -> DeliveryJob? {
        var members = members
        while !members.isEmpty {
            guard let outbound = try await self.outbound(of: members) else { return nil }
            let now = self.context.time.now()
            var random = SystemRandomNumberGenerator()
            let beginning = try await self.context.store.deliveries.begin(
                DeliveryID.generate(at: now, using: &random),
                of: members,
                proposed: proposals,
                as: outbound,
                by: self.context.worker,
                now: now
            )
            switch beginning {
            case .begun(let job):
                job.changes.forEach(self.context.report)
                return job
            case .moved(let numbers):
                // The rules decide these numbers again later; the form is made again from the other members.
                self.release(numbers)
                members.removeAll { numbers.contains($0.businessNumber) }
                proposals.removeAll { numbers.contains($0.number) }
            }
        }
        return nil
    }

    /// Makes the form of cards; `nil` if some of the cards cannot go into a form, which is stored and reported.
    private func outbound(of members: [DeliveryMember]) async throws -> OutboundDelivery? {
        let (deliveries, cards) = (self.context.store.deliveries, members.map(\.card))
        var cause: RemoteFailure?
        do {
            return try await self.outbound(members, deliveries.material(for: cards))
        } catch let error as CodedError where error.code == .imageUnreadable {
            cause = nil
        } catch let error as RemoteFailure where [.rejected, .shrink].contains(error.failureClass) {
            // The cards cannot go into a form; the endpoint is not the cause.
            cause = error
        }
        let changes = try await deliveries.failForming(cards, because: cause, now: self.context.time.now())
        changes.forEach(self.context.report)
        return nil
    }

    private func outbound(
        _ members: [DeliveryMember],
        _ material: DeliveryMaterial
    ) async throws(RemoteFailure) -> OutboundDelivery {
        var random = SystemRandomNumberGenerator()
        let key = UUIDText.version4(using: &random)
        let backend = self.context.ports.backend
        let parts = try await backend.parts(for: members)
        return OutboundDelivery(
            idempotencyKey: key,
            layout: self.context.settings.policy.layout,
            body: backend.body,
            boundary: try backend.boundary(for: key, parts: parts, images: material.images),
            parts: parts,
            images: material.images,
            confidential: material.confidential
        )
    }

    func call(_ call: Call) async throws -> DeliveryOutcome {
        let job = call.delivery
        let outcome = try await self.context.ports.backend.send(job.outbound) { sent, total in
            self.context.events(.sending(job.id, sent: sent, total: total))
        }
        return self.stopIfSuspicious(outcome, of: job)
    }

    func failure(in outcome: DeliveryOutcome, of call: Call) -> EndpointAnswer? {
        guard !self.isOfOldForm(outcome, call), let failure = outcome.failureOfAll else { return nil }
        let isSuspect = failure.isUnlisted && self.countSuspects(call.delivery, outcome)
        return EndpointAnswer(result: isSuspect ? .stopped : Gate.Result(failure), failure: failure)
    }

    func answer(in outcome: DeliveryOutcome, of call: Call) async -> EndpointAnswer? {
        if self.isOfOldForm(outcome, call) { return nil }
        if let failure = outcome.tokenRefusal { return await self.answer(to: failure, of: call.delivery) }
        if outcome.isAccepted { self.suspects.withLock { $0 = [] } }
        self.refusedTokens.withLock { $0 = [] }
        return .works
    }

    /// Whether the backend refused a TOKEN or a form that is no longer used, which says nothing about other deliveries.
    private func isOfOldForm(_ outcome: DeliveryOutcome, _ call: Call) -> Bool {
        call.isOutdated && outcome.isRefusalOfForm
    }

    /// Reads the TOKEN again; the endpoint stops if the TOKEN is unchanged, or if two different ones were refused.
    private func answer(to failure: RemoteFailure, of job: DeliveryJob) async -> EndpointAnswer {
        let backend = self.context.ports.backend
        let isFirst = self.refusedTokens.withLock { refused in
            if let token = backend.token(in: job.outbound.parts) { refused.insert(token) }
            return refused.count <= 1
        }
        let isNew = await backend.refreshToken(staleIn: job.outbound.parts)
        return isNew && isFirst ? .works : EndpointAnswer(result: .stopped, failure: failure)
    }

    func conclude(_ call: Call, _ outcome: DeliveryOutcome) async throws -> [CardChange] {
        defer { if call.isNew { self.release(call.delivery.numbers) } }
        let settings = self.context.settings
        return try await self.context.store.deliveries.conclude(
            call.delivery,
            with: outcome,
            terms: DeliveryTerms(
                retry: self.context.retryTerms(settings.delivery, tries: call.delivery.tries),
                onUnknown: settings.onUnknown,
                isOutdated: call.isOutdated
            ),
            now: self.context.time.now()
        )
    }

    /// Turns a refusal with a status about the address into a stop, once enough numbers in a row were refused so. Another service
    /// than the backend may have answered, so the card must not be rejected: its delivery is sent again.
    private func stopIfSuspicious(_ outcome: DeliveryOutcome, of job: DeliveryJob) -> DeliveryOutcome {
        guard case .failed(var failure) = outcome, failure.failureClass == .rejected, !failure.isUnlisted,
            failure.isAboutAddress, self.countSuspects(job, outcome)
        else { return outcome }
        (failure.failureClass, failure.stopScope) = (.stop, .request)
        return .failed(failure)
    }

    /// Counts the refused numbers of a delivery; returns whether enough different numbers in a row were refused that the
    /// endpoint or the lists of codes are the likely cause, not the cards.
    private func countSuspects(_ job: DeliveryJob, _ outcome: DeliveryOutcome) -> Bool {
        // Which numbers of the delivery are counted does not matter, since each number is in one delivery at a time.
        let numbers = job.numbers.prefix(outcome.unlisted.map(\.count) ?? job.numbers.count)
        return self.suspects.withLock { suspects in
            suspects.formUnion(numbers)
            return suspects.count >= Limits.suspectsInRow
        }
    }
}

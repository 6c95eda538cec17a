import CardModel
import CardStore
import Synchronization

/// Forms deliveries of the cards that the rules let go, sends them, and repeats attempted ones.
final class DeliverStage: StageWork {
    enum Job: Sendable {
        /// An attempted delivery: the same bytes are sent again.
        case again(DeliveryJob)
        /// Cards that may go together, and what was decided for their numbers.
        case new([DeliveryMember], [DeliveryProposal])
    }

    struct Call: Sendable {
        let delivery: DeliveryJob
        /// Whether it was formed now: the numbers of the others are not in ``busy``.
        var isNew = false
        /// Whether its form would differ now: another TOKEN, other fields.
        var isOutdated = false
    }

    let stage = Stage.deliver
    /// A card waits in these while its delivery is repeated or formed anew.
    let states: Set<CardState> = [.verified, .delivering]
    let scarcestSpace = DiskSpace.finishingOnly
    var gate: EndpointGate? { self.endpoint }
    private let endpoint: EndpointGate
    private let context: EngineContext
    /// Numbers that this process is delivering.
    private let busy = Mutex<Set<BusinessNumber>>([])
    /// How many claimed new deliveries are not stored yet.
    private let forming = Mutex(0)
    /// Numbers refused since the last success by an unlisted code, or a status about the address: the endpoint may be the cause.
    private let suspects = Mutex<Set<BusinessNumber>>([])
    /// The TOKENs refused since the last success: a second one means that the account is refused.
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
        // Numbers whose cards gather are also due, but go only when the gathering ends.
        if let left = self.gathering.timeLeft {
            let opens = now.advanced(by: left)
            return min(delivery ?? opens, opens)
        }
        let decision = try await self.context.store.deliveries.nextDecision(now: now)
        return [delivery, decision].compactMap(\.self).min()
    }

    // MARK: Claiming

    /// A query of a claim to the sandbox.
    private enum Turn {
        /// Deliveries that are due again, the longest failed first.
        ///
        /// The query needs the writer at once: a reader would miss a delivery that is being concluded.
        case again
        /// Cards for new deliveries, at most `most` of these.
        case new(untriedOnly: Bool, most: Int)
        /// Deliveries that are due again, then new ones, in one query.
        case all
        /// Deliveries whose answer could not be understood.
        case unreadable
    }

    func claim(_ limit: Int) async throws -> Claimed<Job> {
        let now = self.context.time.now()
        var claimed = Claimed<Job>()
        var formed = 0
        for turn in try await self.turns() where claimed.jobs.count < limit {
            let room = limit - claimed.jobs.count
            switch turn {
            case .again: claimed.add(try await self.claimRepeats(room, longestAgoFirst: true, now: now))
            case .unreadable:
                claimed.add(try await self.claimRepeats(room, scope: .unreadable, longestAgoFirst: true, now: now))
            case .new(let untriedOnly, let most):
                guard most > formed else { continue }
                let new = try await self.propose(min(room, most - formed), untriedOnly: untriedOnly, now: now)
                formed += new.jobs.count
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

    /// Returns the queries of a claim.
    ///
    /// An attempted delivery goes before a new one. While the backend fails, few new ones are formed: each may suffer from a
    /// changed TOKEN. Then probes alternate, so that a document that always fails does not delay the others.
    private func turns() async throws -> [Turn] {
        if let unreadable = self.endpoint.unreadable {
            // A form of another number shows what the cause is; else the same bytes are sent again.
            let new = Turn.new(untriedOnly: false, most: 1)
            return (unreadable.isLone ? [.again, new] : []) + (self.endpoint.probesUnreadable ? [.unreadable] : [])
        }
        guard self.endpoint.isFailing else { return [.all] }
        guard self.endpoint.isProbing else {
            // Read first: a delivery begun in between counts twice rather than not at all.
            let forming = self.forming.withLock(\.self)
            let most =
                try await Limits.undecidedWhileFailing - forming - self.context.store.deliveries.undecidedDeliveries()
            return [.again, .new(untriedOnly: true, most: most), .new(untriedOnly: false, most: most)]
        }
        // If the backend cannot be reached, the document is not the cause.
        let isNew = self.probesNew.withLock { isNew in
            isNew = self.endpoint.failsToConnect ? false : !isNew
            return isNew
        }
        let new = Turn.new(untriedOnly: true, most: 1)
        return (isNew ? [new, .again] : [.again, new]) + [.new(untriedOnly: false, most: 1)]
    }

    /// - Parameter repeatsFirst: whether deliveries that are due again go before new ones.
    private func propose(
        _ limit: Int,
        untriedOnly: Bool = false,
        repeatsFirst: Bool = false,
        now: Timestamp
    ) async throws -> Claimed<Job> {
        let isBatch = self.context.settings.policy.layout == .batch
        // Read before the cards: the proposals lack cards that come in between.
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
        // One delivery of a number at a time: its result decides about the next.
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
        // A query for a batch returns only some numbers, most of which may still gather; without those that go, the next returns
        // others.
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

    private func release(_ numbers: some Sequence<BusinessNumber>) { self.busy.withLock { $0.subtract(numbers) } }

    private func sending(_ call: Call) -> Beginning<Call, DeliveryOutcome> {
        self.endpoint.isPausing ? .known(.failed(.withheld), call) : .call(call)
    }

    /// Whether the form of a delivery would differ now; `false` while there is no TOKEN.
    private func isOutdated(_ job: DeliveryJob) async -> Bool {
        let backend = self.context.ports.backend
        guard !job.current.isEmpty, let parts = try? await backend.parts(for: job.current) else { return false }
        return parts != job.outbound.parts || backend.body != job.outbound.body
    }

    /// Stores a new delivery; `nil` if there is none to send.
    ///
    /// - Parameter proposals: loses those that moved meanwhile, whose numbers are released.
    /// - Throws: `RemoteFailure` if the TOKEN is missing: nothing was formed.
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
                // They are decided again; the form is made again of the others.
                self.release(numbers)
                members.removeAll { numbers.contains($0.businessNumber) }
                proposals.removeAll { numbers.contains($0.number) }
            }
        }
        return nil
    }

    /// Makes the form of cards; `nil` if some of them cannot go, which is stored and reported.
    private func outbound(of members: [DeliveryMember]) async throws -> OutboundDelivery? {
        let (deliveries, cards) = (self.context.store.deliveries, members.map(\.card))
        var cause: RemoteFailure?
        do {
            return try await self.outbound(members, deliveries.material(for: cards))
        } catch let error as CodedError where error.code == .imageUnreadable {
            cause = nil
        } catch let error as RemoteFailure where [.rejected, .shrink].contains(error.failureClass) {
            // These cards do not fit into a form; the endpoint is not the cause.
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
        return self.doubted(outcome, of: job)
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

    /// Whether a TOKEN or form is refused that is no longer used: this stops no other card.
    private func isOfOldForm(_ outcome: DeliveryOutcome, _ call: Call) -> Bool {
        call.isOutdated && outcome.isRefusalOfForm
    }

    /// Reads the TOKEN again; the endpoint stops if it is still the same, or the second one that was refused.
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
                retry: self.context.retry(settings.delivery, tries: call.delivery.tries),
                onUnknown: settings.onUnknown,
                isOutdated: call.isOutdated
            ),
            now: self.context.time.now()
        )
    }

    /// Turns a refusal under a status about the address into a stop, once enough numbers in a row were refused so.
    ///
    /// Another service may have answered. The delivery stays as it is.
    private func doubted(_ outcome: DeliveryOutcome, of job: DeliveryJob) -> DeliveryOutcome {
        guard case .failed(var failure) = outcome, failure.failureClass == .rejected, !failure.isUnlisted,
            failure.isAboutAddress, self.countSuspects(job, outcome)
        else { return outcome }
        (failure.failureClass, failure.stopScope) = (.stop, .request)
        return .failed(failure)
    }

    /// Whether enough different numbers in a row were refused so that the endpoint or the lists are the cause, not the cards.
    private func countSuspects(_ job: DeliveryJob, _ outcome: DeliveryOutcome) -> Bool {
        // The choice does not matter: each number is in one delivery at a time.
        let numbers = job.numbers.prefix(outcome.unlisted.map(\.count) ?? job.numbers.count)
        return self.suspects.withLock { suspects in
            suspects.formUnion(numbers)
            return suspects.count >= Limits.suspectsInRow
        }
    }
}

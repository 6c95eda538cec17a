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

    let stage = Stage.deliver
    let gate: EndpointGate
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
        self.gate = gate
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
        try self.context.worker.requireLock()
        let now = self.context.time.now()
        var claimed = Claimed<Job>()
        var formed = 0
        for turn in try await self.turns() where claimed.jobs.count < limit {
            let room = limit - claimed.jobs.count
            switch turn {
            case .again: try await self.claimRepeats(room, longestAgoFirst: true, now: now, into: &claimed)
            case .unreadable:
                try await self.claimRepeats(room, scope: .unreadable, longestAgoFirst: true, now: now, into: &claimed)
            case .new(let untriedOnly, let most):
                guard most > formed else { continue }
                let most = min(room, most - formed)
                formed += try await self.propose(most, untriedOnly: untriedOnly, now: now, into: &claimed)
            case .all: try await self.propose(room, repeatsFirst: true, now: now, into: &claimed)
            }
        }
        if claimed.jobs.isEmpty, !claimed.hasChanged { try await self.gate.writeUnreadable(nothingElseIsDue: true) }
        return claimed
    }

    private func claimRepeats(
        _ limit: Int,
        scope: ClaimScope = .all,
        longestAgoFirst: Bool,
        now: Timestamp,
        into claimed: inout Claimed<Job>
    ) async throws {
        claimed.jobs += try await self.context.store.deliveries.claimDeliveries(
            by: self.context.worker,
            limit: limit,
            scope: scope,
            longestAgoFirst: longestAgoFirst,
            now: now
        ) { change in
            claimed.hasChanged = true
            self.context.report(change)
        }
        .map(Job.again)
    }

    /// Returns the queries of a claim.
    ///
    /// An attempted delivery goes before a new one. While the backend fails, few new ones are formed: each may suffer from a
    /// changed TOKEN. Then probes alternate, so that a document that always fails does not delay the others.
    private func turns() async throws -> [Turn] {
        if let unreadable = self.gate.unreadable {
            // A form of another number shows what the cause is; else the same bytes are sent again.
            let new = Turn.new(untriedOnly: false, most: 1)
            return (unreadable.isLone ? [.again, new] : []) + (self.gate.probesUnreadable ? [.unreadable] : [])
        }
        guard self.gate.isFailing else { return [.all] }
        guard self.gate.isProbing else {
            // Read first: a delivery begun in between counts twice rather than not at all.
            let forming = self.forming.withLock(\.self)
            let most =
                try await Limits.undecidedWhileFailing - forming - self.context.store.deliveries.undecidedDeliveries()
            return [.again, .new(untriedOnly: true, most: most), .new(untriedOnly: false, most: most)]
        }
        // If the backend cannot be reached, the document is not the cause.
        let isNew = self.probesNew.withLock { isNew in
            isNew = self.gate.failsToConnect ? false : !isNew
            return isNew
        }
        let new = Turn.new(untriedOnly: true, most: 1)
        return (isNew ? [new, .again] : [.again, new]) + [.new(untriedOnly: false, most: 1)]
    }

    /// - Parameter repeatsFirst: whether deliveries that are due again go before new ones.
    /// - Returns: the number of new deliveries to form.
    @discardableResult
    private func propose(
        _ limit: Int,
        untriedOnly: Bool = false,
        repeatsFirst: Bool = false,
        now: Timestamp,
        into claimed: inout Claimed<Job>
    ) async throws -> Int {
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
        var limit = limit
        if repeatsFirst, found.areRepeatsDue {
            let known = claimed.jobs.count
            try await self.claimRepeats(limit, longestAgoFirst: false, now: now, into: &claimed)
            limit -= claimed.jobs.count - known
        }
        let waiting = found.proposals.filter(\.groups.isEmpty)
        if !waiting.isEmpty {
            try await self.context.store.deliveries.decide(waiting, now: now).forEach(self.context.report)
        }
        // One delivery of a number at a time: its result decides about the next.
        let groups = found.proposals.compactMap(\.groups.first)
        let formed =
            isBatch
            ? try await self.gathering.gather(groups, isAll: !untriedOnly, limit: limit, nothingComes: nothingComes)
            : Array(groups.prefix(limit))
        self.busy.withLock { $0.formUnion(formed.joined().map(\.businessNumber)) }
        self.forming.withLock { $0 += formed.count }
        claimed.jobs += formed.map { members in
            let numbers = Set(members.map(\.businessNumber))
            return .new(members, found.proposals.filter { numbers.contains($0.number) })
        }
        // A query for a batch returns only some numbers, most of which may still gather; without those that go, the next returns
        // others.
        claimed.hasChanged = claimed.hasChanged || !waiting.isEmpty || isBatch && !formed.isEmpty
        return formed.count
    }

    // MARK: Sending

    func perform(_ job: Job) async throws {
        switch job {
        case .again(let delivery): try await self.repeatDelivery(delivery)
        case .new(let members, let proposals):
            defer { self.busy.withLock { $0.subtract(proposals.map(\.number)) } }
            if let job = try await self.form(members, proposals) { try await self.send(job) }
        }
    }

    /// Sends the same bytes again.
    ///
    /// If the TOKEN or the form has changed since, a delivery that never reached the backend is formed again instead; one that
    /// may have reached it is sent once more.
    private func repeatDelivery(_ job: DeliveryJob) async throws {
        let isOutdated = await self.isOutdated(job)
        guard isOutdated, !job.mayBeApplied else { return try await self.send(job, isOutdated: isOutdated) }
        self.gate.withdraw()
        try await self.conclude(job, with: .failed(.formChanged), isOutdated: true)
        self.context.board.signal(.deliver)
    }

    /// Whether the form of a delivery would differ now; `false` while there is no TOKEN.
    private func isOutdated(_ job: DeliveryJob) async -> Bool {
        let backend = self.context.ports.backend
        guard !job.current.isEmpty, let parts = try? await backend.parts(for: job.current) else { return false }
        return parts != job.outbound.parts || backend.body != job.outbound.body
    }

    /// Stores a new delivery; `nil` if there is none to send.
    private func form(_ members: [DeliveryMember], _ proposals: [DeliveryProposal]) async throws -> DeliveryJob? {
        defer { self.forming.withLock { $0 -= 1 } }
        var (members, proposals) = (members, proposals)
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
                members.removeAll { numbers.contains($0.businessNumber) }
                proposals.removeAll { numbers.contains($0.number) }
            }
        }
        self.gate.withdraw()
        return nil
    }

    /// Makes the form of cards; `nil` if some of them cannot go, which is stored and reported.
    private func outbound(of members: [DeliveryMember]) async throws -> OutboundDelivery? {
        let (store, cards) = (self.context.store, members.map(\.card))
        let material: DeliveryMaterial
        do {
            material = try await store.deliveries.material(for: cards)
        } catch let error as CodedError where error.code == .imageUnreadable {
            self.gate.withdraw()
            try await store.deliveries.failForming(cards, because: nil, now: self.context.time.now()).forEach(
                self.context.report
            )
            return nil
        }
        do {
            return try await self.outbound(members, material)
        } catch {
            guard error.failureClass == .rejected || error.failureClass == .shrink else {
                // No TOKEN: nothing was formed, and the stage pauses as after any other refusal.
                try await self.gate.write(self.gate.finish(Gate.Result(error), failure: error))
                self.context.events(.failed(.deliver, error))
                return nil
            }
            // These cards do not fit into a form; the endpoint is not the cause.
            self.gate.withdraw()
            try await store.deliveries.failForming(cards, because: error, now: self.context.time.now()).forEach(
                self.context.report
            )
            return nil
        }
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

    private func send(_ job: DeliveryJob, isOutdated: Bool = false) async throws {
        guard !self.gate.isPausing else {
            self.gate.withdraw()
            return try await self.conclude(job, with: .failed(.withheld))
        }
        let outcome = self.doubted(try await self.context.send(job), of: job)
        if isOutdated, outcome.isRefusalOfForm {
            // The refused TOKEN or form is no longer used, so this stops no other card.
            self.gate.withdraw()
            try await self.conclude(job, with: outcome, isOutdated: true)
        } else {
            let pauseChange = outcome.failureOfAll.map { self.reportToGate($0, of: job, outcome) }
            try await self.conclude(job, with: outcome)
            if let pauseChange {
                try await self.gate.write(pauseChange)
            } else {
                try await self.reportToGate(outcome, of: job)
            }
            if outcome.failure?.isUnreadable == true { try await self.gate.writeUnreadable(nothingElseIsDue: false) }
        }
        self.context.board.signal(.deliver)
    }

    private func conclude(_ job: DeliveryJob, with outcome: DeliveryOutcome, isOutdated: Bool = false) async throws {
        let settings = self.context.settings
        let changes = try await self.context.store.deliveries.conclude(
            job,
            with: outcome,
            terms: DeliveryTerms(
                retry: self.context.retryTerms(maxAttempts: settings.delivery.maxAttempts, tries: job.tries),
                onUnknown: settings.onUnknown,
                isOutdated: isOutdated
            ),
            now: self.context.time.now()
        )
        // A card that waits for its next attempt has not changed its state.
        for change in changes where !change.state.isRunnable { self.context.report(change) }
    }

    private func reportToGate(
        _ failure: RemoteFailure,
        of job: DeliveryJob,
        _ outcome: DeliveryOutcome
    ) -> EndpointGate.PauseChange {
        let isSuspect = failure.isUnlisted && self.countSuspects(job, outcome)
        self.context.events(.failed(.deliver, failure))
        return self.gate.finish(isSuspect ? .stopped : Gate.Result(failure), failure: failure)
    }

    private func reportToGate(_ outcome: DeliveryOutcome, of job: DeliveryJob) async throws {
        // A TOKEN refused for one member is refused for all.
        let outcome = outcome.refusedToken.map(DeliveryOutcome.tokenExpired) ?? outcome
        switch outcome {
        case .accepted, .items:
            if outcome.isAccepted { self.suspects.withLock { $0 = [] } }
            self.refusedTokens.withLock { $0 = [] }
            try await self.gate.write(self.gate.finish(.answered, failure: nil))
        case .tokenExpired(let failure):
            let backend = self.context.ports.backend
            let isFirst = self.refusedTokens.withLock { refused in
                if let token = backend.token(in: job.outbound.parts) { refused.insert(token) }
                return refused.count <= 1
            }
            let isNew = await backend.refreshToken(staleIn: job.outbound.parts)
            let goesOn = isNew && isFirst
            try await self.gate.write(self.gate.finish(goesOn ? .answered : .stopped, failure: failure))
            if !goesOn { self.context.events(.failed(.deliver, failure)) }
        case .failed: break
        }
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

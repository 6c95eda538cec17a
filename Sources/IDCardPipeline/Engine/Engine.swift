package import IDCardCore
package import Logging

/// The staged pipeline over a store: intake, verification, the rules of each business number, delivery.
///
/// Stages meet only in the store; each has a bounded number of pieces under way. Everything a stage acknowledges is durable first, so the process may be
/// killed at any moment and the next engine over the same store goes on.
package struct Engine: Sendable {
    let context: StageContext
    let verifyGate: StageGate
    let deliverGate: StageGate
    /// Always open: what they let through calls no endpoint of ours.
    private let settleGate: StageGate
    let prepareGate: StageGate
    let fetchGate: StageGate
    let assembly: BatchAssembly
    let intake: IntakeStage
    let prepare: PrepareStage
    let fetch: FetchStage?
    private let verify: VerifyStage
    private let settle: SettleStage
    private let deliver: DeliverStage

    /// Joins the parts of a pipeline.
    ///
    /// - Parameters:
    ///   - store: where the cards live.
    ///   - ports: what the stages call.
    ///   - settings: the figures to work by.
    ///   - logger: gets card ids, codes and counts; never personal data.
    ///   - observer: hears every event; called from many tasks, must not block.
    package init(
        store: any CardStore,
        ports: EnginePorts,
        settings: EngineSettings,
        logger: Logger,
        observer: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        precondition(
            settings.leaseDuration > max(settings.longestCall, settings.shutdownTimeout),
            "a lease must outlive every call and the shutdown, it holds \(settings.leaseDuration)"
        )
        let metrics = StageMetrics(ports.metrics)
        let monitor = PipelineMonitor(time: ports.time) { event in
            metrics.count(event)
            observer(event)
        }
        let context = StageContext(
            store: store,
            settings: settings,
            board: WorkBoard(),
            applications: PendingApplications(),
            monitor: monitor,
            space: SpaceWatch(store: store, monitor: monitor),
            queue: QueueWatch(store: store, settings: settings, time: ports.time),
            time: ports.time,
            random: ports.random,
            metrics: metrics,
            logger: logger
        )
        self.context = context
        self.verifyGate = StageGate(settings, settings.verifyPacing, host: ports.verifier.host)
        self.deliverGate = StageGate(settings, settings.deliverPacing, host: ports.backend.host)
        store.gatherCommits { [verifyGate, deliverGate] in !verifyGate.isLimiting && !deliverGate.isLimiting }
        self.settleGate = StageGate(settings, .unpaced(concurrency: settings.settleConcurrency))
        self.prepareGate = StageGate(settings, .unpaced(concurrency: settings.prepareConcurrency))
        self.fetchGate = StageGate(settings, .unpaced(concurrency: settings.fetchConcurrency))
        let preparation = NotedPreparation(context: context, preparation: ports.preparation, pool: ports.pool)
        let addresses = AddressIntake(context: context, fetcher: ports.fetcher)
        self.intake = IntakeStage(
            context: context,
            preparation: preparation,
            pool: ports.pool,
            addresses: addresses,
            decoding: WorkPlaces(settings.prepareConcurrency),
            buffers: SourceBuffers(mostKept: settings.prepareConcurrency + 1)
        )
        self.prepare = PrepareStage(context: context, preparation: preparation, pool: ports.pool)
        self.fetch = ports.fetcher.map { FetchStage(context: context, fetcher: $0) }
        self.verify = VerifyStage(
            context: context,
            verifier: ports.verifier,
            preparation: ports.preparation,
            pool: ports.pool,
            gate: self.verifyGate
        )
        let assembly = BatchAssembly(ports.backend.grouping)
        self.assembly = assembly
        self.settle = SettleStage(
            context: context,
            backend: ports.backend,
            gate: self.deliverGate,
            assembly: assembly
        )
        self.deliver = DeliverStage(
            context: context,
            backend: ports.backend,
            gate: self.deliverGate,
            assembly: assembly
        )
    }

    /// The stages that stopped and why.
    package var pauses: [Stage: StagePause] {
        var pauses: [Stage: StagePause] = [:]
        pauses[.verify] = self.verifyGate.pause
        pauses[.deliver] = self.deliverGate.pause
        return pauses
    }

    /// Why the endpoint of a stage does not get its work done, as the last call ended; a stage whose last call was answered,
    /// or that is stopped, is not named.
    package var failures: [Stage: RemoteFailure] {
        var failures: [Stage: RemoteFailure] = [:]
        failures[.verify] = self.verifyGate.lastFailure
        failures[.deliver] = self.deliverGate.lastFailure
        return failures
    }

    /// Takes in all inputs, drives every card of the store as far as it goes, and returns how it ended.
    ///
    /// - Parameter shutdown: once it is requested nothing more begins, and what is under way may end within the
    ///   shutdown timeout; then it is cancelled, at the cost of no attempt.
    /// - Throws: `StoreError` if the store fails; `CancellationError` if the task is cancelled, with all leases handed back.
    package func runBatch(
        _ items: some Sequence<IntakeItem>,
        until shutdown: Shutdown = Shutdown()
    ) async throws -> BatchEnding {
        try await self.run(IntakeList(items), until: shutdown)
    }

    /// Works until all is done, or with `nil` for the inputs until the end is requested.
    func run(_ items: IntakeList?, until shutdown: Shutdown) async throws -> BatchEnding {
        shutdown.attach(self.context.board)
        defer { shutdown.detach(self.context.board) }
        // Known before any loop decides: a front must not go while its retake, or a back while its front, is on its way.
        self.intake.expect(items ?? [])
        if items == nil { self.context.applications.beginService(self.context.time) }
        try await self.recover()
        do {
            let announcer = self.intake.announcer(of: items ?? [])
            try await announcer.announceRefusals()
            let ending = try await self.drive(items, announcedBy: announcer)
            // What is left of it is waited for from now on.
            try await self.context.store.keepAwaiting(now: self.context.time.now())
            try await self.context.store.releaseLeases()
            try Task.checkCancellation()
            return ending
        } catch {
            // The first error is the one to report; leases that cannot be handed back expire, or are taken back when this process is dead.
            try? await self.context.store.releaseLeases()
            throw error
        }
    }

    private func recover() async throws {
        let reclaimed = try await self.context.store.reclaimLeases(now: self.context.time.now())
        if reclaimed > 0 {
            self.context.logger.notice("leases of interrupted work taken back", metadata: ["leases": "\(reclaimed)"])
        }
        // Handed back at the end of an earlier run.
        self.fetch?.queue.clear()
        try await self.lookAtWaits()
        // A process may have been killed before it gave them back.
        let refused = try await self.context.giveBackRefused(with: nil, now: self.context.time.now())
        if !refused.isEmpty {
            self.context.logger.notice(
                "cards refused in a row are judged again",
                metadata: ["cards": "\(refused.count)"]
            )
        }
        self.context.changed(refused)
        for number in try await self.context.store.applicationsWithVerifiedCards() {
            self.context.applications.touch(number)
        }
    }

    private func drive(_ items: IntakeList?, announcedBy announcer: InputAnnouncer) async throws -> BatchEnding {
        try await withThrowingTaskGroup(of: BatchEnding?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.work(items, announcedBy: announcer)
                // The loops end by themselves only if they are asked to.
                return .interrupted
            }
            group.addTask {
                try await self.keepLeases(isService: items == nil)
                return nil
            }
            group.addTask {
                await RetentionKeeper(context: self.context, isBatch: items != nil).run()
                return nil
            }
            // A service has no end of its own.
            if let items {
                let watch = EndWatch(context: self.context, items: items, fetches: self.fetch != nil)
                group.addTask { try await watch.run() }
            }
            group.addTask { await self.waitForDrain() }
            while let result = try await group.next() {
                if let ending = result { return ending }
                if Task.isCancelled { throw CancellationError() }
            }
            return .complete
        }
    }

    /// Runs intake and the loops until they are cancelled, or have drained.
    private func work(_ items: IntakeList?, announcedBy announcer: InputAnnouncer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.fetchLoop.run() }
            group.addTask { try await self.prepareLoop.run() }
            group.addTask { try await self.verifyLoop.run() }
            group.addTask { try await self.settleLoop.run() }
            group.addTask { try await self.deliverLoop.run() }
            group.addTask {
                if let items {
                    try await self.intake.run(items, announcedBy: announcer)
                } else {
                    // Known to the rules as going on; what waits for the end of a batch's intake need not wait.
                    self.context.board.endIntake(announcing: .settle)
                    await self.context.board.waitUntilNothingIsTaken()
                }
            }
            // Not `waitForAll`: that goes on waiting for the others when one has thrown, and loops never end by themselves.
            for try await _ in group {}
        }
    }

    /// Waits for the request to end, and ends the batch when the time for what is under way is up.
    private func waitForDrain() async -> BatchEnding? {
        await self.context.board.waitUntilDraining()
        // Also when all has ended before this task had its turn: whoever asked for the end is told of it.
        guard self.context.board.isDraining else { return nil }
        let timeout = self.context.settings.shutdownTimeout
        let deadline = self.context.time.now().advanced(by: timeout)
        self.context.monitor.report(.shuttingDown(requests: self.context.board.requestsUnderWay, timeout: timeout))
        // Fallback of a cancelled sleep: everything has ended before, and there is nothing left to end.
        guard (try? await self.context.time.sleep(deadline)) != nil else { return nil }
        return .interrupted
    }

    var leaseExpiry: Timestamp { self.context.time.now().advanced(by: self.context.settings.leaseDuration) }

    // MARK: Loops

    var verifyLoop: StageLoop<Card> {
        StageLoop(
            lane: .verify,
            concurrency: self.context.settings.verifyConcurrency,
            board: self.context.board,
            gate: self.verifyGate,
            time: self.context.time,
            claim: { limit in
                // A verdict is written, too: with hardly any room left, only what ends cards goes on.
                guard await self.context.space.look().allowsVerification else { return [] }
                return try await self.claim(of: .verify, through: self.verifyGate) { order in
                    try await self.context.store.claimPrepared(
                        limit: limit,
                        order: order,
                        until: self.leaseExpiry,
                        now: self.context.time.now()
                    )
                }
            },
            nextDue: { try await self.nextVerification() },
            work: { try await self.verify.work($0) }
        )
    }

    private func nextVerification() async throws -> Timestamp? {
        guard let due = try await self.nextDue(of: .verify, through: self.verifyGate) else { return nil }
        if await self.context.space.look().allowsVerification { return due }
        return max(due, self.context.time.now().advanced(by: IntakeStage.roomInterval))
    }

    private var settleLoop: StageLoop<SettleJob> {
        StageLoop(
            lane: .settle,
            concurrency: self.context.settings.settleConcurrency,
            board: self.context.board,
            gate: self.settleGate,
            time: self.context.time,
            claim: { limit in
                let now = self.context.time.now()
                let jobs: [SettleJob] = self.assembly.nextDue(now: now).map { $0 <= now } ?? false ? [.assemble] : []
                return jobs + self.context.applications.take(limit - jobs.count, now: now).map(SettleJob.decide)
            },
            nextDue: {
                let now = self.context.time.now()
                return [self.context.applications.nextDue(now: now), self.assembly.nextDue(now: now)]
                    .compactMap { $0 }.min()
            },
            work: { try await self.settle.work($0) },
            // A decision may leave a wait.
            endsAreNews: true
        )
    }

    private var deliverLoop: StageLoop<Delivery> {
        StageLoop(
            lane: .deliver,
            concurrency: self.context.settings.deliverConcurrency,
            board: self.context.board,
            gate: self.deliverGate,
            time: self.context.time,
            claim: { limit in
                try await self.claim(of: .deliver, through: self.deliverGate) { order in
                    try await self.context.store.claimDeliveries(
                        limit: limit,
                        order: order,
                        until: self.leaseExpiry,
                        now: self.context.time.now()
                    )
                }
            },
            nextDue: { try await self.nextDue(of: .deliver, through: self.deliverGate) },
            work: { try await self.deliver.work($0) }
        )
    }
}

package import CardModel
package import CardStore
import Synchronization

/// The pipeline of one process: intake, and a runner for each stage.
package struct Engine: Sendable {
    let context: EngineContext
    let verifyGate: EndpointGate
    let deliverGate: EndpointGate
    let fetchHosts: FetchHosts

    /// Connects the sandbox, the outside services and the settings.
    ///
    /// - Parameters:
    ///   - worker: the worker that claims work.
    ///   - isFull: whether the limit of cards in progress is reached; by default the sandbox decides.
    ///   - events: receives the events; called from every stage, so it must not wait.
    package init(
        store: Sandbox,
        worker: Worker,
        ports: EnginePorts,
        settings: EngineSettings,
        time: EngineTime = .system,
        isFull: (@Sendable () async throws -> Bool)? = nil,
        events: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        let board = WorkBoard()
        self.context = EngineContext(
            store: store,
            worker: worker,
            ports: ports,
            settings: settings,
            time: time,
            board: board,
            uploads: FairQueue([:], rank: { $0[$1] ?? 0 }) { [cap = settings.preparing] running, submitter in
                guard running.values.reduce(0, +) < cap else { return false }
                running[submitter, default: 0] += 1
                return true
            },
            isFull: isFull ?? { try await store.intake.isFull() },
            events: { event in
                switch event {
                case .taken, .refused: board.markProgress(at: time.steady())
                case .changed(let change):
                    board.markProgress(at: time.steady())
                    // A card with a stored reading is judged without a call, so there is no `called` event.
                    if [.verified, .rejected, .held, .failed].contains(change.state) { board.markMoved(.verify) }
                case .called(let stage, _, _): board.markMoved(stage)
                case .sending: board.markMoved(.deliver)
                case .failed, .paused, .resumed, .beat, .overdue, .erasingFailed: break
                }
                events(event)
            }
        )
        let (verification, delivery) = (settings.verification, settings.delivery)
        self.verifyGate = EndpointGate(.verify, of: ports.verifier.endpoint, pace: verification, context: self.context)
        self.deliverGate = EndpointGate(.deliver, of: ports.backend.endpoint, pace: delivery, context: self.context)
        self.fetchHosts = FetchHosts(context: self.context)
    }

    /// Makes the services read their TLS files again; each keeps its old settings if the files are invalid.
    package func reload() -> [CodedError] {
        let ports = self.context.ports
        let bodies: [() throws(CodedError) -> Void] = [
            ports.verifier.reload, ports.backend.reload, ports.fetcher.reload,
        ]
        var errors: [CodedError] = []
        for body in bodies {
            do throws(CodedError) { try body() } catch { errors.append(error) }
        }
        return errors
    }

    /// Admits a list, and works on the whole sandbox until nothing more is due within `settings.patience`, and no other
    /// process works on a card of the list.
    ///
    /// - Returns: the failures that stopped endpoints while cards wait for them.
    /// - Throws: errors of the sandbox, after current work is concluded.
    package func runBatch(_ groups: [[Photo]]) async throws -> [Stage: RemoteFailure] {
        let context = self.context
        let listed = Mutex<Set<CardID>>([])
        let stopped = Mutex<[Stage: RemoteFailure]>([:])
        try await self.run {
            try await self.admit(groups) { event in
                guard case .taken(_, let outcome) = event else { return }
                listed.withLock { $0.formUnion(outcome.cards) }
            }
            context.board.endIntake()
            let cards = listed.withLock(\.self)
            context.board.markProgress(at: context.time.steady())
            var wereFree = cards.isEmpty
            while true {
                await context.board.waitUntilDone(patience: context.settings.patience, time: context.time)
                let areFree = try await self.areFree(cards)
                let hasMoved = await self.carryOutDueDecisions()
                guard !context.board.isEnding, hasMoved || !(areFree && wereFree) else { break }
                if !areFree { try await context.time.sleep(Limits.pollInterval) }
                // Another process may have released a card after the stages last looked, so they look once more.
                wereFree = areFree
                self.wake()
            }
            // Read before erasing: a probe still in progress must not change why the batch ended.
            stopped.withLock { $0 = self.stopped }
            await self.eraseExpired(until: context.time.steady() + context.settings.patience)
        }
        return stopped.withLock(\.self)
    }

    /// Whether no other living process has claimed one of these cards.
    private func areFree(_ cards: Set<CardID>) async throws -> Bool {
        guard !cards.isEmpty else { return true }
        let now = self.context.time.now()
        return try await self.context.store.stages.claimedByOthers(than: self.context.worker, now: now).isDisjoint(
            with: cards
        )
    }

    /// Works on the whole sandbox until a source of photos, such as a watched folder, returns.
    ///
    /// - Throws: errors of the source and the sandbox, after current work is concluded.
    package func run(_ source: @escaping @Sendable () async throws -> Void) async throws {
        let context = self.context
        let ports = context.ports
        try await context.store.endpoints.endPauses(
            exceptOfVerifier: ports.verifier.endpoint,
            backend: ports.backend.endpoint
        )
        try await self.restoreGates(isStart: true)
        // Before any claim: take over the claims of dead processes.
        try await self.heartbeat()
        try await context.store.deliveries.reconsider(under: context.deciding, now: context.time.now())
        await self.carryOutDueDecisions()
        // A cancellation ends the run; the code below would not notice it otherwise.
        try await withTaskCancellationHandler {
            try await self.runTogether {
                defer { context.board.stop() }
                try await source()
            }
        } onCancel: {
            context.board.stop()
        }
        // A short run ends before the periodic tally.
        _ = try? await context.store.upkeep.foldTally(now: context.time.now())
    }

    // MARK: Intake

    /// Admits a list, all photos of a number in one commit; events report the result of each.
    ///
    /// If the engine ends or makes no progress, the rest of the list is left unread.
    ///
    /// - Parameter reporting: receives the events of this list, in addition to the engine's own receiver.
    package func admit(
        _ groups: [[Photo]],
        reporting: @escaping @Sendable (PipelineEvent) -> Void = { _ in }
    ) async throws {
        var context = self.context
        context.events = { [events = context.events] event in
            events(event)
            reporting(event)
        }
        try await Intake(context: context, sender: .process, isList: true).admit(groups)
    }

    /// Returns the intake of photos of watched folders, or of a submitter's requests.
    package func intake(of sender: Caller = .process) -> Intake {
        Intake(context: self.context, sender: sender, isList: false)
    }

    // MARK: The stages

    /// Which task of a run has ended.
    private enum EndedTask: Sendable {
        /// A periodic task or the source.
        case besideStages
        /// The stages, with the first error of the sandbox, if any; or `shutdownTimeout` is over, and they are cut off.
        case stages((any Error)?)
    }

    /// Runs the stages, the periodic tasks and the source until the engine ends, and current work is concluded or cut off.
    private func runTogether(_ source: @escaping @Sendable () async throws -> Void) async throws {
        let board = self.context.board
        let stages = self.makeStages()
        try await withThrowingTaskGroup(of: EndedTask.self) { tasks in
            tasks.addTask { .stages(await self.run(stages)) }
            for body in self.periodicTasks(beside: stages).map(self.repeating) + [source] {
                tasks.addTask {
                    try await body()
                    return .besideStages
                }
            }
            tasks.addTask {
                await board.waitUntilEnding()
                try await self.context.time.sleep(self.context.settings.shutdownTimeout)
                return .stages(nil)
            }
            var failure: (any Error)?
            while let result = await tasks.nextResult() {
                switch result {
                case .success(.besideStages): continue
                case .success(.stages(let error)):
                    failure = failure ?? error
                    tasks.cancelAll()
                case .failure(is CancellationError): continue
                case .failure(let error):
                    failure = failure ?? error
                    board.stop()
                }
            }
            if let failure { throw failure }
        }
    }

    /// The number of calls to outside services that are in progress.
    package var callsUnderWay: Int { self.context.board.underWay }

    /// Wakes every stage to look for work, for example after a person's decision.
    package func wake() { for stage in Stage.allCases { self.context.board.signal(stage) } }

    /// Asks the pipeline to end: intake stops, and current work is concluded.
    package func stop() { self.context.board.stop() }

    /// The stages whose endpoints are stopped, with the failures that stopped them.
    private var stopped: [Stage: RemoteFailure] {
        let stages = self.context.board.stopped
        let gates = [self.verifyGate, self.deliverGate].filter { stages.contains($0.stage) }
        return gates.reduce(into: [:]) { stopped, gate in stopped[gate.stage] = gate.stoppedBy }
    }

    private func makeStages() -> [any StageWork] {
        [
            FetchStage(context: self.context, hosts: self.fetchHosts), PrepareStage(context: self.context),
            VerifyStage(context: self.context, gate: self.verifyGate),
            DeliverStage(context: self.context, gate: self.deliverGate),
        ]
    }

    /// Runs the stages to their end; after an error of one, the others conclude their current work.
    private func run(_ stages: [any StageWork]) async -> (any Error)? {
        await withThrowingTaskGroup { tasks in
            for stage in stages { tasks.addTask { try await self.run(stage) } }
            var failure: (any Error)?
            while let result = await tasks.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { failure = failure ?? error }
            }
            return failure
        }
    }

    private func run(_ work: some StageWork) async throws {
        try await StageRunner(work, context: self.context).run()
    }

    /// Sets the number of files that stay in a watched folder; the next heartbeat stores it.
    package func setStaying(_ count: Int, in folder: String) { self.context.board.setStaying(count, in: folder) }

    /// Sets the issues of the server's tokens; the next heartbeat stores them.
    package func setTokens(_ tokens: TokenIssue) { self.context.board.setTokens(tokens) }

    package var worker: String { self.context.worker.id }
}

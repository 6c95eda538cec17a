package import CardModel
package import CardStore

/// The pipeline of one process: intake, and a runner for each stage.
package struct Engine: Sendable {
    private let context: EngineContext
    private let verifyGate: EndpointGate
    private let deliverGate: EndpointGate

    /// Joins the sandbox, the outside and the settings.
    ///
    /// - Parameters:
    ///   - worker: under whose name work is claimed.
    ///   - isFull: whether as many cards are under way as may be at a time; the sandbox says so if it is left out.
    ///   - events: told what happens; called from every stage, so it must not wait.
    package init(
        store: CardStore,
        worker: Worker,
        ports: EnginePorts,
        settings: EngineSettings,
        time: EngineTime = .system,
        isFull: (@Sendable () async throws -> Bool)? = nil,
        events: @escaping @Sendable (PipelineEvent) -> Void
    ) {
        let board = WorkBoard(stages: [.verify, .deliver])
        self.context = EngineContext(
            store: store,
            worker: worker,
            ports: ports,
            settings: settings,
            time: time,
            board: board,
            isFull: isFull ?? { try await store.isFull() },
            events: { event in
                switch event {
                case .taken, .refused, .changed: board.noteProgress(at: time.steady())
                case .sending, .failed: break
                }
                events(event)
            }
        )
        func gate(_ endpoint: String, _ pace: EngineSettings.Pace) -> EndpointGate {
            EndpointGate(
                endpoint: endpoint,
                gate: Gate(cap: pace.concurrency, rate: pace.rate, probeInterval: settings.probeInterval),
                store: store,
                time: time
            )
        }
        self.verifyGate = gate("verify \(ports.verifier.endpoint)", settings.verification)
        self.deliverGate = gate("deliver \(ports.backend.endpoint)", settings.delivery)
    }

    /// How a batch ended.
    package struct BatchEnd: Sendable {
        /// What stopped an endpoint for which cards wait.
        package var stopped: [StageName: RemoteFailure]
    }

    /// Takes a list in, and works on the whole sandbox until nothing is left to do before the patience is over.
    ///
    /// - Throws: what the sandbox throws; what is under way is concluded first.
    package func runBatch(_ groups: [[InputItem]]) async throws -> BatchEnd {
        let context = self.context
        try await self.verifyGate.restore()
        try await self.deliverGate.restore()
        // Before anything is claimed: what dead processes had is taken over.
        try await context.store.heartbeat(
            of: context.worker,
            onUnknown: context.settings.onUnknown,
            now: context.time.now()
        )
        try await self.runTogether {
            try await Intake(context: context, submitter: "local").take(groups)
            context.board.endIntake()
            await context.board.waitUntilDone(patience: context.settings.patience, time: context.time)
            context.board.end()
        }
        return BatchEnd(stopped: self.stopped)
    }

    /// What runs beside the stages, and ends with them.
    private enum Part: Sendable {
        /// The stages have ended, with the first error of the sandbox if there was one.
        case stages((any Error)?)
        case companion
        case timeout
    }

    /// Runs the stages with their companions until the end was asked for, and what is under way is concluded or cut off.
    private func runTogether(_ source: @escaping @Sendable () async throws -> Void) async throws {
        let board = self.context.board
        // Who cancels the run wants its end: nothing below hears of it otherwise.
        try await withTaskCancellationHandler {
            try await self.runParts(source)
        } onCancel: {
            board.end()
        }
    }

    private func runParts(_ source: @escaping @Sendable () async throws -> Void) async throws {
        let board = self.context.board
        try await withThrowingTaskGroup(of: Part.self) { tasks in
            tasks.addTask { .stages(await self.runStages()) }
            tasks.addTask {
                try await self.beat()
                return .companion
            }
            tasks.addTask {
                try await source()
                return .companion
            }
            tasks.addTask {
                await board.waitUntilEnding()
                try await self.context.time.sleep(self.context.settings.shutdownTimeout)
                return .timeout
            }
            var failure: (any Error)?
            while let result = await tasks.nextResult() {
                switch result {
                case .success(.companion): continue
                case .success(.stages(let error)):
                    failure = failure ?? error
                    tasks.cancelAll()
                case .success(.timeout): tasks.cancelAll()
                case .failure(is CancellationError): continue
                case .failure(let error):
                    failure = failure ?? error
                    board.end()
                }
            }
            if let failure { throw failure }
        }
    }

    /// How many calls to outside services are under way.
    package var callsUnderWay: Int { self.context.board.underWay }

    /// Asks the pipeline to end: intake stops, and what is under way is concluded.
    package func end() { self.context.board.end() }

    private var stopped: [StageName: RemoteFailure] {
        var stopped: [StageName: RemoteFailure] = [:]
        for stage in self.context.board.stopped {
            stopped[stage] = stage == .verify ? self.verifyGate.stoppedBy : self.deliverGate.stoppedBy
        }
        return stopped
    }

    /// Runs the stages to their end; an error of one lets the other conclude what it has under way.
    private func runStages() async -> (any Error)? {
        let (context, verify) = (self.context, VerifyStage(context: self.context, gate: self.verifyGate))
        let deliver = DeliverStage(context: self.context, gate: self.deliverGate)
        return await withTaskGroup(of: (any Error)?.self) { tasks in
            tasks.addTask {
                await Self.error(of: {
                    try await StageRunner(stage: verify.stage, board: context.board, time: context.time).run()
                })
            }
            tasks.addTask {
                await Self.error(of: {
                    try await StageRunner(stage: deliver.stage, board: context.board, time: context.time).run()
                })
            }
            var failure: (any Error)?
            for await error in tasks where !(error is CancellationError) { failure = failure ?? error }
            return failure
        }
    }

    private static func error(of body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Writes the heartbeat, takes over what dead workers had, and obeys rests that others wrote down, until the end.
    private func beat() async throws {
        while !self.context.board.isEnding {
            do { try await self.context.time.sleep(Limits.heartbeat) } catch { return }
            let dead = try await self.context.store.heartbeat(
                of: self.context.worker,
                onUnknown: self.context.settings.onUnknown,
                now: self.context.time.now()
            )
            try await self.verifyGate.restore()
            try await self.deliverGate.restore()
            guard dead > 0 else { continue }
            self.context.board.ring(.verify)
            self.context.board.ring(.deliver)
        }
    }
}

/// What happens in the pipeline, for progress, reports and the exit code.
package enum PipelineEvent: Sendable {
    /// An input became a card, or is one already.
    case taken(InputItem, AdmissionOutcome)
    /// An input was refused before it became a card.
    case refused(InputItem, CodedError)
    /// A card moved on.
    case changed(CardChange)
    /// So many bytes of a delivery went out, of so many.
    case sending(DeliveryID, sent: Int64, total: Int64)
    /// An endpoint did not take a call.
    case failed(StageName, RemoteFailure)
}

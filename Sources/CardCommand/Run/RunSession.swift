import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Foundation

/// One `run`, from the arguments to the exit status.
struct RunSession: Sendable {
    let arguments: RunArguments
    let configuration: Configuration

    /// Runs, prints, and returns the exit status.
    func run() async throws -> CommandStatus {
        // Before any photo is looked at: root may read what the owner of the sandbox may not.
        try SandboxOwner.become(of: self.configuration.sandboxPath)
        let listing = try self.listing()
        if let listing { Self.say(listing) }
        return try await self.configuration.withSandbox { try await self.run(listing, store: $0) }
    }

    /// Lists the inputs that the command line names; `nil` if it names none, and the run goes on with what is there.
    func listing() throws -> BatchListing? {
        guard !self.arguments.paths.isEmpty || self.arguments.manifest != nil else { return nil }
        let options = try self.configuration.inputs(self.arguments.fields, rule: self.arguments.businessNumberRule)
        let source = BatchSource(paths: self.arguments.paths, manifest: self.arguments.manifest, options: options)
        return try self.configuration.listing(of: source)
    }

    /// What was passed over because of its name, once for each rule, and whether nothing is left.
    private static func say(_ listing: BatchListing) {
        let passed = listing.passedOver.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        if !passed.isEmpty {
            Console.standardError("note: passed over because of their names: \(passed.joined(separator: ", "))")
        }
        if let emptiness = listing.emptiness { Console.standardError("note: " + emptiness.text()) }
    }

    private func run(_ listing: BatchListing?, store: CardStore) async throws -> CommandStatus {
        let tracker = RunTracker(listing: listing?.entries ?? [])
        let runID = UUID().uuidString.lowercased()
        if listing == nil { tracker.adopt(try await store.runnableCards()) }
        let printing = self.arguments.format == .jsonl
        let end = try await ProgressDisplay(tracker: tracker, isQuiet: self.arguments.isQuiet).showing {
            try await running {
                defer { tracker.finish() }
                return try await self.work(listing, store: store, tracker: tracker, runID: runID)
            } beside: {
                if printing { try await RunPrinter(tracker: tracker, store: store).printEndings() }
            }
        }
        return try await RunPrinter(tracker: tracker, store: store).print(
            end,
            runID: runID,
            format: self.arguments.format,
            documents: self.configuration.isEmbedded ? self.configuration.embeddedDocuments : nil,
            addresses: self.addresses
        )
    }

    /// Where the configured endpoints are.
    private var addresses: [StageName: String] {
        var addresses: [StageName: String] = [:]
        addresses[.verify] = self.configuration.verification.flatMap { Self.shown($0.endpoint.url) }
        addresses[.deliver] = self.configuration.delivery.flatMap { Self.shown($0.endpoint.url) }
        return addresses
    }

    /// An address without what may be a secret in it: user, password and query.
    private static func shown(_ url: String) -> String? {
        guard var parts = URLComponents(string: url) else { return nil }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string
    }

    private func work(
        _ listing: BatchListing?,
        store: CardStore,
        tracker: RunTracker,
        runID: String
    ) async throws -> RunEnd {
        let pipeline = Pipeline(configuration: self.configuration, store: store)
        return try await pipeline.with("run", id: runID, events: tracker.observe) { engine in
            let watched = try await SignalWatch(end: { pipeline.end(engine) }).watching {
                try await engine.runBatch(listing?.groups ?? [])
            }
            return RunEnd(stopped: watched.value.stopped, signal: watched.signal)
        }
    }
}

/// What the command line says of a run.
struct RunArguments: Sendable {
    var paths: [String] = []
    var manifest: String?
    var fields = SubmittedFields()
    var businessNumberRule: BusinessNumberRule?
    var format = OutputFormat.text
    var isQuiet = false
}

/// How a run ended.
struct RunEnd: Sendable {
    /// What stopped a stage for which cards wait.
    var stopped: [StageName: RemoteFailure]
    /// The status of the signal that asked for the end, if one came in time.
    var signal: CommandStatus?
}

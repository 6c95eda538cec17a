import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore
import Foundation
import Logging

/// One `run`, from the arguments to the exit status.
struct RunSession: Sendable {
    let arguments: RunArguments
    let configuration: Configuration

    /// Runs, prints, and returns the exit status.
    func run() async throws -> CommandStatus {
        let listing = try self.listing()
        if let listing { Self.say(listing) }
        let store = try await CardStore.open(
            path: self.configuration.sandboxPath,
            kind: self.configuration.isEmbedded ? .embedded : .real,
            ring: try await self.configuration.vaultKeys(creating: true),
            creating: true,
            now: Timestamp(Date())
        )
        let result: Result<CommandStatus, any Error>
        do { result = .success(try await self.run(listing, store: store)) } catch { result = .failure(error) }
        do { try store.close() } catch {
            // Everything is durable before: this is worth a line, not the result.
            Console.standardError("warning: the sandbox did not close in order; check it: idcard-pipeline fsck")
        }
        return try result.get()
    }

    /// Lists the inputs that the command line names; `nil` if it names none, and the run goes on with what is there.
    func listing() throws -> BatchListing? {
        guard !self.arguments.paths.isEmpty || self.arguments.manifest != nil else { return nil }
        var options = BatchOptions(
            recognisesImage: { bytes, _ in ImageFormat.sniff(bytes) != .unknown },
            isImageName: { name in Self.imageExtensions.contains((name as NSString).pathExtension.lowercased()) }
        )
        options.fields = self.arguments.fields
        options.businessNumberRule =
            try self.arguments.businessNumberRule ?? BusinessNumberRule(self.configuration.businessNumberFrom)
        options.sandbox = self.configuration.sandboxPath
        return try BatchSource(
            paths: self.arguments.paths,
            manifest: self.arguments.manifest,
            options: options
        ).listing().refusing(self.requireAccount)
    }

    /// A card for a real backend needs a user account; without one it would be verified, paid for, and then wait for ever.
    private func requireAccount(_ item: InputItem) -> CodedError? {
        guard self.configuration.delivery != nil, !self.configuration.engine.hasDefaultUserNumber,
            item.metadata.userNumber?.reveal().isEmpty ?? true
        else { return nil }
        return CodedError(
            .userNumberMissing,
            .input,
            "no user account; set delivery.user_no, or give user_no in the manifest, in a sidecar or by --user-no"
        )
    }

    /// What was passed over because of its name, once for each rule, and whether nothing is left.
    private static func say(_ listing: BatchListing) {
        let passed = listing.passedOver.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        if !passed.isEmpty {
            Console.standardError("note: passed over because of their names: \(passed.joined(separator: ", "))")
        }
        if let emptiness = listing.emptiness { Console.standardError("note: " + emptiness.text()) }
    }

    /// Endings that claim an image, also in formats that are refused with words.
    private static let imageExtensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "heic", "heif", "avif", "webp", "tif", "tiff", "bmp", "gif", "pdf",
    ]

    private func run(_ listing: BatchListing?, store: CardStore) async throws -> CommandStatus {
        let tracker = RunTracker(listing: listing?.entries ?? [])
        let runID = UUID().uuidString.lowercased()
        if listing == nil { tracker.adopt(try await store.runnableCards()) }
        let worker = try await store.startWorker(id: runID, command: "run", now: Timestamp(Date()))
        let printing = self.arguments.format == .jsonl
        let end = try await ProgressDisplay(tracker: tracker, isQuiet: self.arguments.isQuiet).showing {
            try await withThrowingTaskGroup(of: RunEnd?.self) { group in
                group.addTask {
                    defer { tracker.finish() }
                    // Here, and not when all is printed: who reads the lines may take for ever.
                    return try await self.ending(worker, of: store) {
                        try await self.drive(listing, store: store, worker: worker, tracker: tracker)
                    }
                }
                if printing {
                    group.addTask {
                        try await RunPrinter(tracker: tracker, store: store).printEndings()
                        return nil
                    }
                }
                var end: RunEnd?
                while let ended = try await group.next() { end = ended ?? end }
                guard let end else { throw CancellationError() }
                return end
            }
        }
        return try await RunPrinter(tracker: tracker, store: store).print(
            end,
            runID: runID,
            format: self.arguments.format,
            documents: self.configuration.isEmbedded ? self.documents : nil,
            addresses: self.addresses
        )
    }

    /// Runs work and gives back what its worker has claimed, whatever it came to.
    private func ending(
        _ worker: Worker,
        of store: CardStore,
        after work: () async throws -> RunEnd
    ) async throws -> RunEnd {
        let onUnknown = self.configuration.engine.onUnknown
        let end: RunEnd
        do { end = try await work() } catch {
            try? await store.end(worker, onUnknown: onUnknown, now: Timestamp(Date()))
            throw error
        }
        try await store.end(worker, onUnknown: onUnknown, now: Timestamp(Date()))
        return end
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

    /// Where the built-in backend keeps what it accepts.
    private var documents: String {
        self.arguments.documents ?? self.configuration.sandboxPath + "/embedded-documents"
    }

    private func drive(
        _ listing: BatchListing?,
        store: CardStore,
        worker: Worker,
        tracker: RunTracker
    ) async throws -> RunEnd {
        guard self.configuration.isEmbedded else {
            return try await self.work(listing, store: store, worker: worker, tracker: tracker, self.configuration)
        }
        // What the built-in endpoints have to say is no event of the pipeline.
        var logger = self.configuration.logger(runID: worker.id)
        logger.logLevel = max(logger.logLevel, .notice)
        return try await EmbeddedEndpoints(documents: self.documents, logger: logger).serve { verification, delivery in
            var configuration = self.configuration
            configuration.verification = verification
            configuration.delivery = delivery
            return try await self.work(listing, store: store, worker: worker, tracker: tracker, configuration)
        }
    }

    private func work(
        _ listing: BatchListing?,
        store: CardStore,
        worker: Worker,
        tracker: RunTracker,
        _ configuration: Configuration
    ) async throws -> RunEnd {
        guard let verification = configuration.verification, let delivery = configuration.delivery else {
            throw ConfigurationError([])
        }
        var settings = configuration.engine
        let cores = ProcessInfo.processInfo.activeProcessorCount
        settings.preparing = configuration.imagingConcurrency > 0 ? configuration.imagingConcurrency : cores
        let outside = try Outside(
            decoder: PhotoDecoder(
                ImageRecompressor(settings: configuration.imaging),
                isolation: configuration.isolation,
                sandbox: configuration.sandboxPath
            ),
            maxSourceBytes: configuration.imaging.maxSourceBytes,
            threads: settings.preparing,
            verification: verification,
            delivery: delivery
        )
        let log = EventLog(logger: configuration.logger(runID: worker.id))
        let engine = Engine(
            store: store,
            worker: worker,
            ports: outside.ports,
            settings: settings,
            events: { event in
                tracker.observe(event)
                log.observe(event)
            }
        )
        let result: Result<RunEnd, any Error>
        do {
            let timeout = settings.shutdownTimeout
            let end: @Sendable () -> Void = {
                let calls = engine.callsUnderWay
                // First, since whoever reads standard error may have stopped reading.
                engine.end()
                Self.sayEnding(calls: calls, timeout: timeout)
            }
            let watched = try await SignalWatch(end: end).watching {
                try await engine.runBatch(listing?.groups ?? [])
            }
            result = .success(RunEnd(stopped: watched.value.stopped, signal: watched.signal))
        } catch {
            result = .failure(error)
        }
        try await outside.close()
        return try result.get()
    }
}

extension RunSession {
    /// What a signal leads to.
    private static func sayEnding(calls: Int, timeout: Duration) {
        let milliseconds = timeout.wholeMilliseconds
        let limit = milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
        let requests = calls == 1 ? "1 request" : "\(calls) requests"
        Console.standardError(
            calls == 0
                ? "interrupted: ending; signal again to stop at once"
                : "interrupted: finishing \(requests), up to \(limit); signal again to stop at once"
        )
    }
}

/// What the command line says of a run.
struct RunArguments: Sendable {
    var paths: [String] = []
    var manifest: String?
    var fields = SubmittedFields()
    var businessNumberRule: BusinessNumberRule?
    var documents: String?
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

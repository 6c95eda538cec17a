import Foundation
import IDCardCore
import IDCardEmbedded
import IDCardImaging
import IDCardPipeline
import IDCardSandbox
import IDCardTriggers
import Logging

/// One `run`, from the arguments to the exit status.
struct RunSession: Sendable {
    /// What the command line asks for.
    struct Arguments: Sendable {
        var paths: [String]
        var manifest: String?
        var businessNumber: String?
        var userNumber: String?
        var businessNumberRule: BusinessNumberRule?
        var documents: String?
        var format: OutputFormat
        var isQuiet: Bool
    }

    let arguments: Arguments
    let options: GlobalOptions

    init(command: RunCommand, businessNumberRule: BusinessNumberRule?) {
        self.options = command.options
        self.arguments = Arguments(
            paths: command.paths,
            manifest: command.manifest,
            businessNumber: command.businessNo,
            userNumber: command.userNo,
            businessNumberRule: businessNumberRule,
            documents: command.documents,
            format: command.format,
            isQuiet: command.quiet
        )
    }

    /// Runs, prints, and returns the exit status; every error ends here in words and a status.
    func run() async -> CommandStatus {
        do {
            let configuration = try self.options.loadConfiguration(requiringRemotes: true)
            self.say(configuration.notices)
            let (items, store) = try await self.begin(configuration)
            return try await self.run(items, store: store, configuration: configuration)
        } catch {
            return CommandFailure(error).report()
        }
    }

    func say(_ notices: [ConfigurationNotice]) {
        // The protection of the sandbox is spoken of where it is opened.
        for notice in notices where notice.level == .warning && notice.key != "vault.mode" {
            Console.standardError("warning: \(notice.message)")
        }
    }

    private func items(_ configuration: AppConfiguration) throws -> IntakeList {
        try self.source(configuration).items { Self.requiringUserNumber($0, configuration: configuration) }
    }

    /// The inputs that the command line names; nothing is looked at yet.
    func source(_ configuration: AppConfiguration) -> BatchSource {
        let options = BatchOptions(
            businessNumber: self.arguments.businessNumber,
            userNumber: self.arguments.userNumber,
            businessNumberRule: self.arguments.businessNumberRule ?? configuration.businessNumberRule,
            recognisesImage: { bytes, _ in ImageFormat.sniff(bytes) != .unknown },
            isImageName: { ImageFormat.isImageExtension(($0 as NSString).pathExtension) },
            skippedFolders: configuration.watch.putAwayFolders,
            sandbox: configuration.sandboxPath
        )
        return BatchSource(paths: self.arguments.paths, manifest: self.arguments.manifest, options: options)
    }

    /// A card for a real backend needs a user account; without one it would be verified, paid for, and then wait for ever.
    static func requiringUserNumber(_ item: IntakeItem, configuration: AppConfiguration) -> IntakeItem {
        guard configuration.requiresUserNumber,
            case .take(let metadata) = item.disposition, metadata.userNumber?.reveal().isEmpty ?? true
        else { return item }
        var refused = item
        refused.disposition = .refuse(
            .userNumberMissing,
            message:
                "no user account; set delivery.user_no, or give user_no in the manifest, in a sidecar or by --user-no",
            of: metadata.businessNumber
        )
        return refused
    }

    /// Lists the inputs and opens the sandbox, one beside the other if it is there: where a list fails, none is made. The
    /// list opens no file of the sandbox, see `BatchOptions.sandbox`.
    private func begin(_ configuration: AppConfiguration) async throws -> (IntakeList, SandboxStore) {
        guard SandboxStore.hasDatabase(configuration.sandboxPath) else {
            return (try self.items(configuration), try await self.open(configuration))
        }
        async let opened = self.open(configuration)
        let items: IntakeList
        do {
            items = try self.items(configuration)
        } catch {
            // What is wrong with the inputs is said first; what the sandbox has to say comes up again with right ones.
            if let store = try? await opened { await self.close(store) }
            throw error
        }
        return (items, try await opened)
    }

    private func open(_ configuration: AppConfiguration) async throws -> SandboxStore {
        let opening = SandboxOpening(
            configuration: configuration,
            commitDelay: SandboxOpening.commitDelayOfBatches
        )
        return try await opening.open(endpoints: configuration.embedded ? .embedded : .external)
    }

    private func run(
        _ items: IntakeList,
        store: SandboxStore,
        configuration: AppConfiguration
    ) async throws -> CommandStatus {
        let ending: Result<RunOutcome, any Error>
        do {
            ending = .success(try await self.drive(items, store: store, configuration: configuration))
        } catch {
            ending = .failure(error)
        }
        await self.close(store)
        let outcome = try ending.get()
        outcome.print(format: self.arguments.format)
        return Console.finish() ?? outcome.status
    }

    /// Everything is durable before; a store that does not close well is worth a line, not the result.
    private func close(_ store: SandboxStore) async {
        do {
            try await store.close()
        } catch {
            Console.standardError(Self.closingWarning(error))
        }
    }

    /// What is said of a sandbox that did not close well.
    static func closingWarning(_ error: any Error) -> String {
        "warning: the sandbox did not close in order (\(CommandFailure.code(of: error))); all that was done is in it, "
            + "and fsck tells whether it is sound"
    }

    private func drive(
        _ items: IntakeList,
        store: SandboxStore,
        configuration: AppConfiguration
    ) async throws -> RunOutcome {
        let runID = self.makeRunID()
        let logger = Logger(configuration.log, runID: runID)
        let format = self.arguments.format
        let tracker = RunTracker(items: items) { report in
            if format == .jsonl { Console.standardOutput(JSONText.line(report)) }
        }
        let progress = RunProgress()
        let documents = self.arguments.documents ?? configuration.sandboxPath + "/embedded-documents"
        let host = EngineHost(
            store: store,
            configuration: configuration,
            documents: documents,
            logger: logger,
            observer: { event in
                tracker.observe(event)
                progress.observe(event)
                if let words = EngineWords(event) { Console.standardError(words.line) }
            }
        )
        let pipeline = RunPipeline(host: host)
        let display = ProgressDisplay(progress: progress, isQuiet: self.arguments.isQuiet)
        let watch = SignalWatch(shutdown: Shutdown())
        let watched = try await watch.watching {
            try await display.showing { try await pipeline.run(items, until: watch.shutdown) }
        }
        try await tracker.refresh(from: store)
        let waiting = try await WaitingApplications(of: items, in: store)
        return RunOutcome(
            runID: runID,
            tracker: tracker,
            end: watched.value,
            signal: watched.signal,
            documents: configuration.embedded ? documents : nil,
            endpoints: configuration.endpoints,
            standings: try await store.standings(),
            waiting: waiting
        )
    }

    private func makeRunID() -> String {
        // Boxed: a type without storage has no address, which the thread sanitizer would follow all the same.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return UUIDText.version7(at: Timestamp(Date()), using: &random)
    }
}

import Glibc
package import IDCardPipeline
package import Logging
import ServiceLifecycle
import Synchronization

/// Takes in the images that arrive in folders, and puts each away once its card is durable.
///
/// inotify is a hint that a path deserves a look; the truth is what a scan finds, at the start and again and again. A
/// file is taken in when it is complete (`FileStability`); it is moved, deleted or left only after
/// `CardIntake.take` has returned, and only if it is still the very file that was taken (`SourceDisposal`). A process
/// killed in between finds the file again, is told that the card is there, and goes on where it stopped.
///
/// - Files that stay for a later look are tried again with backoff; those refused for good go to the folder for refused
///   files, with a note that says why.
/// - Symbolic links are not followed, wherever they lead, and not touched. A further name of a file (hard link) is an
///   input of its own: the same bytes for the same business number are one card.
/// - Logs hold card ids, codes, counts and the place of a root in the list, never a path.
package final class FolderWatch: Service, Sendable {
    let settings: WatchSettings
    let intake: any WatchIntake
    let logger: Logger
    let clock: WatchClock
    let observer: @Sendable (WatchEvent) -> Void
    let names: WatchedNames
    let work = DispatchWork()
    let wake = WakeUp()
    let state: Mutex<WatchState>
    let faults: NotifierFaults

    /// Prepares to watch folders; nothing is taken in yet.
    ///
    /// - Parameters:
    ///   - roots: the folders, each with all below it; they may go away later and come back, but are there now.
    ///   - settings: how they are watched.
    ///   - intake: takes the images in.
    ///   - logger: gets card ids, codes and counts; never personal data.
    ///   - clock: what waits are measured by.
    ///   - observer: hears every event; called from many tasks, must not block.
    /// - Throws: `WatchError`.
    package convenience init(
        roots: [String],
        settings: WatchSettings,
        intake: any WatchIntake,
        logger: Logger,
        clock: WatchClock = .continuous,
        observer: @escaping @Sendable (WatchEvent) -> Void
    ) throws(WatchError) {
        try self.init(
            roots: roots,
            settings: settings,
            intake: intake,
            logger: logger,
            clock: clock,
            faults: NotifierFaults(),
            observer: observer
        )
    }

    init(
        roots: [String],
        settings: WatchSettings,
        intake: any WatchIntake,
        logger: Logger,
        clock: WatchClock,
        faults: NotifierFaults,
        observer: @escaping @Sendable (WatchEvent) -> Void
    ) throws(WatchError) {
        try settings.check()
        let found = try Self.find(roots, settings)
        self.settings = settings
        self.intake = intake
        self.logger = logger
        self.clock = clock
        self.faults = faults
        self.observer = observer
        self.names = WatchedNames(ignoring: settings.ignoredPatterns)
        var state = WatchState(
            concurrency: settings.concurrency,
            ledger: WatchLedger(settings),
            roots: roots.map { WatchState.Root(given: $0) }
        )
        for root in found { state.attach(root) }
        self.state = Mutex(state)
    }

    private static func find(_ roots: [String], _ settings: WatchSettings) throws(WatchError) -> [WatchedRoot] {
        guard !roots.isEmpty else {
            throw WatchError(.rootNotFound, "no folder to watch; name one on the command line or in watch.folders")
        }
        var found: [WatchedRoot] = []
        for (index, given) in roots.enumerated() {
            do throws(SystemFailure) {
                found.append(try WatchedRoot(index: index, given: given, settings: settings))
            } catch {
                throw Self.failure(error, root: index + 1, given: given)
            }
        }
        try WatchedRoot.check(found)
        return found
    }

    private static func failure(_ failure: SystemFailure, root: Int, given: String) -> WatchError {
        switch failure.code {
        case ENOENT:
            let message = "the watched folder \(root) does not exist; check its path, or make it"
            return WatchError(.rootNotFound, message, folder: given)
        case ENOTDIR:
            return WatchError(.rootUnreadable, "the watched folder \(root) is no folder; check its path", folder: given)
        default:
            let message = "the watched folder \(root) cannot be opened (\(failure)); make it readable"
            return WatchError(.rootUnreadable, message, folder: given)
        }
    }

    /// Watches until graceful shutdown or cancellation: what is being taken in then ends, and is put away; nothing else
    /// begins.
    ///
    /// - Throws: `StoreError` if the store fails.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await self.watch()
        } onGracefulShutdown: {
            self.end()
        }
    }

    private func watch() async throws {
        let notifier = self.makeNotifier()
        let result: Result<Void, any Error>
        do {
            result = .success(try await self.loop(notifier))
        } catch {
            result = .failure(error)
        }
        await notifier?.stop()
        try result.get()
    }

    private func loop(_ notifier: FolderNotifier?) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !self.isEnding {
                let now = self.clock.now()
                if let scan = self.state.withLock({ $0.nextScan(now: now) }) {
                    group.addTask { try await self.ending { try await self.perform(scan, notifier: notifier) } }
                }
                if let files = self.dueLooks(now: now) {
                    group.addTask { try await self.ending { try await self.look(at: files, notifier: notifier) } }
                }
                try await self.expectSeenFiles()
                while let ready = await self.nextTurn() {
                    group.addTask { try await self.ending { try await self.handle(ready) } }
                }
                await self.wake.wait(until: self.state.withLock { $0.nextDue }, clock: self.clock)
            }
        }
    }

    /// Runs a piece of work; an error ends the watch.
    private func ending(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            self.end()
            throw error
        }
    }

    /// Begins nothing more.
    private func end() {
        self.state.withLock { $0.isEnding = true }
        self.wake.call()
    }

    var isEnding: Bool { Task.isCancelled || self.state.withLock { $0.isEnding } }

    // MARK: Looks

    private static let looksAtATime = 500

    private func dueLooks(now: Duration) -> [WatchedPath]? {
        self.state.withLock { state in
            guard !state.isLooking else { return nil }
            let files = state.ledger.dueLooks(now: now, limit: Self.looksAtATime)
            state.isLooking = !files.isEmpty
            return files.isEmpty ? nil : files
        }
    }

    private func look(at files: [WatchedPath], notifier: FolderNotifier?) async throws {
        let looks = try await self.work.run {
            // A file that cannot be looked up is none for now; the next scan meets it again.
            let looks = files.map { (file: $0, shape: try? FileShape.of(path: $0.path)) }
            // The older photo first: of two of one side, the one taken in later wins.
            return looks.sorted { ($0.shape?.modified ?? 0, $0.file.key) < ($1.shape?.modified ?? 0, $1.file.key) }
        }
        let now = self.clock.now()
        if self.state.withLock({ state in files.contains { !state.roots[$0.root].isPolled } }) {
            // What was told before the look may say that somebody is still writing: then the look is overtaken.
            await notifier?.caughtUp()
        }
        self.state.withLock { state in
            for look in looks { state.ledger.looked(at: look.file, as: look.shape, now: now) }
            state.isLooking = false
        }
        self.wake.call()
    }
}

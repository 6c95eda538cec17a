package import CardEngine
package import CardModel
import Dispatch
import SystemPackage

/// Admits the photos that arrive in folders, and archives each once its card is durable.
///
/// inotify only gives hints; the repeated scans, from the start on, decide. A photo is handed to the pipeline when it is complete
/// (`WatchedFiles`). It is archived only after that call has returned, and only if it is still the same file (`FileDisposal`). A
/// process killed in between finds the file again, learns that the card exists, and continues. Symbolic links are neither
/// followed nor changed.
package actor FolderWatch {
    /// Hands a photo to the pipeline; returns once the result is durable. An error ends the watch.
    package typealias Admit = @Sendable (_ photo: Photo, _ occasion: WatchOccasion) async throws -> WatchOutcome
    /// Runs a body that blocks in a folder, by its index in the list, on a thread that may block.
    package typealias Perform = @Sendable (_ root: Int, _ body: @escaping @Sendable () -> Void) -> Void

    /// A named folder.
    struct Root {
        /// The path as the user wrote it.
        let given: String
        /// Its real path while it exists.
        var real: FilePath?
        /// Whether it is polled, because inotify does not report all its changes.
        var isPolled: Bool
        /// The time of the next scan; `nil` during a scan, unless another one was requested since.
        var nextScan: Duration? = .zero
        /// Whether deletions in it that earlier processes left unfinished are finished.
        var isSwept = false
        /// The problems that were reported and are not solved.
        var problems: Set<ReasonCode> = []
        /// Links and special files already reported: each is reported once.
        var strays: Set<FilePath> = []
        /// Folders below it that archiving may have emptied.
        var emptied: Set<FilePath> = []
        /// The files that could not be archived or deleted.
        var unplaced: Set<FilePath> = []
        /// The changed folders in it, to scan.
        var changed: Set<WatchedFolder> = []
        /// How many of its files are being processed.
        fileprivate var underway = 0
        /// When the next timer wakes its loop.
        fileprivate var timer: Duration?
        /// Whether it exists and answers, as far as is known.
        var isAtHand: Bool { !self.problems.contains(.watchFolderMissing) }
    }

    let options: WatchOptions
    let mark: WatchMark
    let time: EngineTime
    let admit: Admit
    let report: @Sendable (WatchEvent) -> Void
    private let perform: Perform
    var files: WatchedFiles
    var roots: [Root]
    /// The photos of each business number, processed one after the other: of two photos of one side the later one wins.
    private var queues: [BusinessNumber: [FilePath]] = [:]
    /// The number in whose queue a photo is.
    private var numbers: [FilePath: BusinessNumber] = [:]
    /// Until when no photo is handed over, and the number of pauses in a row.
    var pause: (until: Duration, count: Int)?
    /// The signal of each folder's loop.
    private let wakeSignals: [(stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)]
    private let plans = AsyncStream.makeStream(of: (WatchedFiles.File, FileExaminer.Plan).self)
    private let ending = AsyncStream.makeStream(of: Void.self)
    var notifier: FolderNotifier?
    private var isEnding = false

    /// Prepares a watch; does not read anything yet.
    ///
    /// - Parameters:
    ///   - options: the folders and rules; `WatchOptions.problems` checks them.
    ///   - sandbox: the identity of the sandbox; a folder that another sandbox watches is reported and not scanned.
    ///   - time: the clock of the waits.
    ///   - admit: hands a photo to the pipeline; called concurrently.
    ///   - report: receives the events; must not block.
    package init(
        options: WatchOptions,
        sandbox: String,
        time: EngineTime,
        admit: @escaping Admit,
        report: @escaping @Sendable (WatchEvent) -> Void,
        perform: @escaping Perform = { SourceFile.threads.async(execute: $1) }
    ) {
        self.options = options
        self.mark = WatchMark(sandbox: sandbox)
        (self.time, self.admit, self.report, self.perform) = (time, admit, report, perform)
        self.files = WatchedFiles(options)
        self.roots = options.folders.map { Root(given: $0, isPolled: options.mode == .polling) }
        self.wakeSignals = options.folders.map { _ in
            AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        }
    }

    /// Watches until `stop` is called or its task is cancelled.
    ///
    /// Before it returns, photos being processed are archived, and no further photo begins. Each folder has its own loop: one
    /// that does not answer delays neither others nor the end.
    ///
    /// - Throws: the error of handing over a photo.
    package func run() async throws {
        self.listen()
        self.wake()
        defer {
            self.isEnding = true
            self.notifier?.stop()
        }
        try await withThrowingDiscardingTaskGroup { tasks in
            tasks.addTask { await self.watchAll() }
            for await (file, plan) in self.plans.stream { tasks.addTask { try await self.work(on: file, plan) } }
        }
    }

    private func watchAll() async {
        await withDiscardingTaskGroup { loops in
            for root in self.roots.indices { loops.addTask { await self.watch(root) } }
            for await _ in self.ending.stream {}
            loops.cancelAll()
        }
        self.plans.continuation.finish()
    }

    /// Runs a turn of a folder at each signal, and sets timers for what is due later.
    private func watch(_ root: Int) async {
        await withDiscardingTaskGroup { timers in
            defer { timers.cancelAll() }
            for await _ in self.wakeSignals[root].stream {
                do throws(CancellationError) { try await self.turn(of: root) } catch { return }
                if let due = self.nextTimer(of: root) { timers.addTask { await self.wake(root, at: due) } }
            }
        }
    }

    /// Begins no further photo; `run` returns once the current ones are archived.
    package func stop() {
        self.isEnding = true
        self.ending.continuation.finish()
    }

    var now: Duration { self.time.steady() }
    nonisolated var date: Timestamp { self.time.now() }

    /// Starts the next turn of each folder at once.
    nonisolated func wake() { for signal in self.wakeSignals { signal.continuation.yield() } }

    /// Runs a body that blocks in a folder on a thread that may block, and reports a folder that does not answer.
    ///
    /// - Parameter grace: how long to wait for the answer once the task is cancelled.
    /// - Throws: `CancellationError` if there was no answer within the grace.
    func blocking<Value: Sendable>(
        in root: Int,
        grace: Duration = .zero,
        _ body: @escaping @Sendable () -> Value
    ) async throws(CancellationError) -> Value {
        let silence = Task {
            // In two halves: a suspended machine skips only one of them, so a suspension does not count as silence of the folder.
            for _ in 1...2 { try await self.time.sleep(WatchLimits.silence / 2) }
            self.report(.silent(nil), of: root)
        }
        defer { silence.cancel() }
        let value = try await answer(grace: grace, on: { self.perform(root, $0) }, body)
        silence.cancel()
        if (try? await silence.value) != nil { self.mend(.watchFolderMissing, of: root) }
        return value
    }

    // MARK: Turns

    /// Processes changes, scans and examines what is due, and passes on the plans of files that are ready.
    private func turn(of root: Int) async throws(CancellationError) {
        self.processChanges()
        let isDue = self.roots[root].nextScan.map { $0 <= self.now } ?? false
        // A scan requested from here on is a further one: this one may miss its files.
        if isDue { self.roots[root].nextScan = nil }
        let scan = isDue ? try await self.scan(root) : nil
        while let folder = self.roots[root].changed.popFirst() { try await self.scan(folder) }
        while try await self.examineFiles(in: root) {}
        if let scan { self.report(scan) }
        if isDue {
            let next = self.now + self.scanInterval(of: root)
            self.roots[root].nextScan = min(self.roots[root].nextScan ?? next, next)
        }
        while let file = self.nextFile(of: root) {
            if let plan = try await self.plan(for: file) { self.plans.continuation.yield((file, plan)) }
        }
    }

    /// `nil` if the folder is missing.
    func examiner(of root: Int) -> FileExaminer? {
        self.roots[root].real.map { FileExaminer(options: self.options, root: $0) }
    }

    private func nextFile(of root: Int) -> WatchedFiles.File? {
        // Files of folders that do not answer use no slots of other folders.
        let underway = self.roots.reduce(0) { $0 + ($1.isAtHand ? $1.underway : 0) }
        guard !self.isEnding, underway < WatchLimits.handedOverAtOnce,
            self.pause.map({ $0.until <= self.now }) ?? true, let file = self.files.popReady(in: root)
        else { return nil }
        self.roots[root].underway += 1
        return file
    }

    /// Returns what to do with a file; `nil` if an older photo of its number comes first.
    private func plan(for file: WatchedFiles.File) async throws(CancellationError) -> FileExaminer.Plan? {
        var plan = FileExaminer.Plan.changed
        if let observation = file.observation, let examiner = self.examiner(of: file.root) {
            plan = try await self.blocking(in: file.root) { examiner.plan(for: file.candidate, observation) }
        }
        let path = file.candidate.path
        guard let number = plan.number, self.numbers[path] != number else { return plan }
        self.release(path)
        self.numbers[path] = number
        self.queues[number, default: []].append(path)
        guard self.queues[number]?.first != path else { return plan }
        self.roots[file.root].underway -= 1
        return nil
    }

    /// Removes photos that are gone from the queues of their numbers.
    func releaseGone() {
        for path in Array(self.numbers.keys) where self.files[path] == nil { self.release(path) }
    }

    /// Removes a photo from the queue of its number, and gives the turn to the next one.
    private func release(_ path: FilePath) {
        guard let number = self.numbers.removeValue(forKey: path) else { return }
        self.queues[number]?.removeFirst()
        guard let next = self.queues[number]?.first else { return self.queues[number] = nil }
        self.files.requeue(next)
        // The next photo may be in another folder.
        self.wake()
    }

    private func work(on file: WatchedFiles.File, _ plan: FileExaminer.Plan) async throws {
        let path = file.candidate.path
        defer {
            self.roots[file.root].underway -= 1
            // A photo that will be handed over again stays the first in the queue of its number.
            if self.files[path]?.phase != .ready, self.files[path]?.isWaiting != true { self.release(path) }
            self.wake()
        }
        do {
            try await self.handle(file, plan)
        } catch {
            self.isEnding = true
            throw error
        }
    }

    /// Returns when a timer must wake the folder, unless one is set for that time or earlier.
    private func nextTimer(of root: Int) -> Duration? {
        // Only a pause needs a timer: if all slots are in use instead, a photo that finishes wakes the loop.
        let pause = self.pause.flatMap { self.files.hasReady(in: root) && $0.until > self.now ? $0.until : nil }
        let times = [self.files.nextDue(in: root), pause, self.roots[root].nextScan]
        guard let due = times.compactMap(\.self).min(), self.roots[root].timer.map({ due < $0 }) ?? true else {
            return nil
        }
        self.roots[root].timer = due
        return due
    }

    private func wake(_ root: Int, at due: Duration) async {
        // Fallback of a sleep that is cancelled: the watch ends.
        try? await self.time.sleep(max(.zero, due - self.now))
        if self.roots[root].timer == due { self.roots[root].timer = nil }
        self.wakeSignals[root].continuation.yield()
    }

    /// Examines files that are due, and returns whether there may be more.
    private func examineFiles(in root: Int) async throws(CancellationError) -> Bool {
        let due = self.files.popDue(in: root, now: self.now, limit: WatchLimits.examinedAtOnce)
        guard !due.isEmpty else { return false }
        let examiner = self.examiner(of: root)
        let observations = try await self.blocking(in: root) {
            var folders: [FilePath: SidecarNames] = [:]
            let observations = due.map { file in
                let observation = Result { () throws(Errno) in try examiner?.observation(of: file.candidate, &folders) }
                return (
                    file: file, observation: observation, name: (try? observation.get()).map { PhotoName($0.identity) }
                )
            }
            // By name: of two photos of one side, the one handed over later wins if their times do not decide. Files that could
            // not be observed come first.
            return observations.sorted { left, right in
                guard let other = right.name else { return false }
                return left.name.map { $0 < other } ?? true
            }
        }
        for observed in observations {
            let path = observed.file.candidate.path
            switch observed.observation {
            case .success(let observation): self.files.recordObservation(at: path, observation, now: self.now)
            case .failure: self.tryAgain(observed.file)
            }
            // Other photos of the number do not wait for a photo that is not ready after all.
            if self.files[path]?.phase != .ready { self.release(path) }
        }
        return due.count == WatchLimits.examinedAtOnce
    }
}

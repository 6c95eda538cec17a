package import CardEngine
package import CardModel
import Dispatch
import SystemPackage

/// Takes in the photos that arrive in folders, and puts each away once its card is durable.
///
/// inotify is a hint that a path deserves a look; the truth is what a scan finds, at the start and again and again. A
/// photo is handed on when it is complete (`WatchedFiles`), and put away only after that has returned and only if it is
/// still the very file that was taken (`FileDisposal`). A process killed in between finds the file again, is told that the
/// card is there, and goes on where it stopped. Symbolic links are not followed, wherever they lead, and not touched.
package actor FolderWatch {
    /// Hands a photo to the pipeline; returns once its fate is durable. An error ends the watch.
    package typealias Take = @Sendable (_ photo: InputItem, _ occasion: WatchOccasion) async throws -> WatchOutcome
    /// Runs what blocks in a folder, by its place in the list, on a thread that may.
    package typealias Perform = @Sendable (_ root: Int, _ body: @escaping @Sendable () -> Void) -> Void

    /// A named folder.
    struct Root {
        let given: String
        /// Its real path as long as it is there.
        var real: FilePath?
        /// Whether inotify does not tell of all of it.
        var isPolled: Bool
        /// When it is looked through next; `nil` while it is, unless somebody has asked for another time since.
        var nextScan: Duration? = .zero
        /// Whether deletions that an earlier process left unfinished in it were finished.
        var isSwept = false
        /// What was told of it and is not mended.
        var problems: Set<ReasonCode> = []
        /// The links, pipes and the like in it, which were told of.
        var strays: Set<FilePath> = []
        /// Folders below it that archiving may have emptied.
        var emptied: Set<FilePath> = []
        /// The files that could not be put away.
        var unplaced: Set<FilePath> = []
        /// The folders in it that are to be looked through: something was heard of them.
        var changed: Set<WatchedFolder> = []
        fileprivate var underway = 0
        fileprivate var alarm: Duration?
        /// Whether it is there and answers, as far as is known.
        var isAtHand: Bool { !self.problems.contains(.watchFolderMissing) }
    }

    let options: WatchOptions
    let mark: WatchMark
    let time: EngineTime
    let take: Take
    let report: @Sendable (WatchEvent) -> Void
    private let perform: Perform
    var files: WatchedFiles
    var roots: [Root]
    /// The photos of each business number of which one is being taken, that one first: of two of one side the later
    /// wins.
    private var queues: [BusinessNumber: [FilePath]] = [:]
    private var numbers: [FilePath: BusinessNumber] = [:]
    /// Until when nothing is taken, and how often that was so in a row.
    var pause: (until: Duration, count: Int)?
    /// One for the loop of each folder.
    private let bells: [(stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)]
    private let plans = AsyncStream.makeStream(of: (WatchedFiles.File, FileExaminer.Plan).self)
    private let ending = AsyncStream.makeStream(of: Void.self)
    var notifier: FolderNotifier?
    private var isEnding = false

    /// Prepares to watch; nothing is looked at yet.
    ///
    /// - Parameters:
    ///   - options: which folders, and how; `WatchOptions.problems` tells what is wrong with them.
    ///   - sandbox: the identity of the sandbox; a folder that another one watches is told of and not looked through.
    ///   - time: what waits are measured by.
    ///   - take: hands a photo to the pipeline; several are handed over at a time.
    ///   - report: hears what happens; must not block.
    package init(
        options: WatchOptions,
        sandbox: String,
        time: EngineTime,
        take: @escaping Take,
        report: @escaping @Sendable (WatchEvent) -> Void,
        perform: @escaping Perform = { SourceFile.threads.async(execute: $1) }
    ) {
        self.options = options
        self.mark = WatchMark(sandbox: sandbox)
        (self.time, self.take, self.report, self.perform) = (time, take, report, perform)
        self.files = WatchedFiles(options)
        self.roots = options.folders.map { Root(given: $0, isPolled: options.mode == .polling) }
        self.bells = options.folders.map { _ in
            AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        }
    }

    /// Watches until `end` is called or its task is cancelled; what is being taken in then is put away, and nothing
    /// else begins. Each folder has a loop of its own: one that does not answer holds up neither others nor the end.
    ///
    /// - Throws: what handing a photo over has thrown.
    package func run() async throws {
        self.listen()
        self.ring()
        defer {
            self.isEnding = true
            self.notifier?.stop()
        }
        try await withThrowingDiscardingTaskGroup { takes in
            takes.addTask { await self.watchAll() }
            for await (file, plan) in self.plans.stream { takes.addTask { try await self.work(on: file, plan) } }
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

    private func watch(_ root: Int) async {
        await withDiscardingTaskGroup { alarms in
            defer { alarms.cancelAll() }
            for await _ in self.bells[root].stream {
                do throws(CancellationError) { try await self.turn(of: root) } catch { return }
                if let due = self.nextAlarm(of: root) { alarms.addTask { await self.wake(root, at: due) } }
            }
        }
    }

    /// Begins nothing more; `run` returns once what is being taken in has been put away.
    package func end() {
        self.isEnding = true
        self.ending.continuation.finish()
    }

    var now: Duration { self.time.steady() }
    nonisolated var date: Timestamp { self.time.now() }

    /// Has the next turn of each folder come at once.
    nonisolated func ring() { for bell in self.bells { bell.continuation.yield() } }

    /// Runs what blocks in a folder on a thread that may, and tells if the folder does not answer.
    ///
    /// - Parameter grace: how long the answer is waited for once the task is cancelled.
    /// - Throws: `CancellationError` if there was none by then.
    func blocking<Value: Sendable>(
        in root: Int,
        grace: Duration = .zero,
        _ body: @escaping @Sendable () -> Value
    ) async throws(CancellationError) -> Value {
        let silence = Task {
            // In two parts: who slept for that long, as a machine that was suspended does, has not waited for the folder.
            for _ in 1...2 { try await self.time.sleep(WatchLimits.silence / 2) }
            self.tell(.silent(nil), of: root)
        }
        defer { silence.cancel() }
        let value = try await answer(grace: grace, on: { self.perform(root, $0) }, body)
        silence.cancel()
        if (try? await silence.value) != nil { self.mend(.watchFolderMissing, of: root) }
        return value
    }

    // MARK: Turns

    private func turn(of root: Int) async throws(CancellationError) {
        self.takeChanges()
        let isDue = self.roots[root].nextScan.map { $0 <= self.now } ?? false
        // What is asked for from here on this scan may have missed.
        if isDue { self.roots[root].nextScan = nil }
        let scan = isDue ? try await self.scan(root) : nil
        while let folder = self.roots[root].changed.popFirst() { try await self.scan(folder) }
        while try await self.lookAtFiles(in: root) {}
        if let scan { self.report(scan) }
        if isDue {
            let next = self.now + self.waitForScan(of: root)
            self.roots[root].nextScan = min(self.roots[root].nextScan ?? next, next)
        }
        while let file = self.nextFile(of: root) {
            if let plan = try await self.plan(for: file) { self.plans.continuation.yield((file, plan)) }
        }
    }

    /// Looks at the files of a folder; `nil` if the folder is not there.
    func examiner(of root: Int) -> FileExaminer? {
        self.roots[root].real.map { FileExaminer(options: self.options, root: $0) }
    }

    private func nextFile(of root: Int) -> WatchedFiles.File? {
        // What hangs in a folder that does not answer takes no place of others.
        let underway = self.roots.reduce(0) { $0 + ($1.isAtHand ? $1.underway : 0) }
        guard !self.isEnding, underway < WatchLimits.takenAtOnce,
            self.pause.map({ $0.until <= self.now }) ?? true, let file = self.files.takeReady(in: root)
        else { return nil }
        self.roots[root].underway += 1
        return file
    }

    /// Tells what is to be done with a file; `nil` if an older photo of its number comes first.
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

    /// Lets others of their numbers have their turn where the first is gone.
    func releaseGone() {
        for path in Array(self.numbers.keys) where self.files[path] == nil { self.release(path) }
    }

    /// Lets the next photo of a number have its turn.
    private func release(_ path: FilePath) {
        guard let number = self.numbers.removeValue(forKey: path) else { return }
        self.queues[number]?.removeFirst()
        guard let next = self.queues[number]?.first else { return self.queues[number] = nil }
        self.files.putBack(next)
        // It may lie in another folder.
        self.ring()
    }

    private func work(on file: WatchedFiles.File, _ plan: FileExaminer.Plan) async throws {
        let path = file.candidate.path
        defer {
            self.roots[file.root].underway -= 1
            // One that is to be handed over again stays the first of its number.
            if self.files[path]?.phase != .ready, self.files[path]?.isWaiting != true { self.release(path) }
            self.ring()
        }
        do {
            try await self.handle(file, plan)
        } catch {
            self.isEnding = true
            throw error
        }
    }

    /// When something is due that nobody will call for, if no alarm is set for that or for an earlier time.
    private func nextAlarm(of root: Int) -> Duration? {
        // Where nothing may begin for other reasons, whoever ends calls.
        let pause = self.pause.flatMap { self.files.hasReady(in: root) && $0.until > self.now ? $0.until : nil }
        let times = [self.files.nextDue(in: root), pause, self.roots[root].nextScan]
        guard let due = times.compactMap(\.self).min(), self.roots[root].alarm.map({ due < $0 }) ?? true else {
            return nil
        }
        self.roots[root].alarm = due
        return due
    }

    private func wake(_ root: Int, at due: Duration) async {
        // Fallback of a sleep that is cancelled: the watch ends.
        try? await self.time.sleep(max(.zero, due - self.now))
        if self.roots[root].alarm == due { self.roots[root].alarm = nil }
        self.bells[root].continuation.yield()
    }

    /// Looks at files that are due, and returns whether there may be more.
    private func lookAtFiles(in root: Int) async throws(CancellationError) -> Bool {
        let due = self.files.takeDue(in: root, now: self.now, limit: WatchLimits.looksAtOnce)
        guard !due.isEmpty else { return false }
        let examiner = self.examiner(of: root)
        let looks = try await self.blocking(in: root) {
            var folders: [FilePath: SidecarNames] = [:]
            let looks = due.map { file in
                let observation = Result { () throws(Errno) in try examiner?.observation(of: file.candidate, &folders) }
                return (
                    file: file, observation: observation, name: (try? observation.get()).map { PhotoName($0.identity) }
                )
            }
            // Of two of one side, the one that comes in later wins where their times say nothing.
            return looks.sorted { left, right in
                guard let name = left.name, let other = right.name else { return left.name == nil && right.name != nil }
                return name < other
            }
        }
        for look in looks {
            let path = look.file.candidate.path
            switch look.observation {
            case .success(let observation): self.files.looked(at: path, observation, now: self.now)
            case .failure: self.tryAgain(look.file)
            }
            // Others of its number need not wait for one that is not ready after all.
            if self.files[path]?.phase != .ready { self.release(path) }
        }
        return due.count == WatchLimits.looksAtOnce
    }
}

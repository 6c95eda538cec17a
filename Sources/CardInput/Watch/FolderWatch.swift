package import CardEngine
package import CardModel
import Dispatch
import SystemPackage

/// Takes in the photos that arrive in folders, and puts each away once its card is durable.
///
/// inotify is a hint that a path deserves a look; the truth is what a scan finds, at the start and again and again. A
/// photo is handed on when it is complete (`WatchedFiles`), and put away only after that has returned and only if it is
/// still the very file that was taken (`PutAway`). A process killed in between finds the file again, is told that the
/// card is there, and goes on where it stopped. Symbolic links are not followed, wherever they lead, and not touched.
package actor FolderWatch {
    /// Hands a photo to the pipeline; returns once its fate is durable. An error ends the watch.
    package typealias Take = @Sendable (_ photo: InputItem, _ occasion: WatchOccasion) async throws -> WatchOutcome

    /// A named folder.
    struct Root {
        let given: String
        /// Its real path as long as it is there.
        var real: FilePath?
        /// Whether inotify does not tell of all of it.
        var isPolled: Bool
        var nextScan = Duration.zero
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
    }

    let options: WatchOptions
    let mark: WatchMark
    let time: EngineTime
    let take: Take
    let report: @Sendable (WatchEvent) -> Void
    var files: WatchedFiles
    var roots: [Root]
    /// The photos of each business number of which one is being taken, that one first: of two of one side the later
    /// wins.
    private var queues: [BusinessNumber: [FilePath]] = [:]
    private var numbers: [FilePath: BusinessNumber] = [:]
    /// Until when nothing is taken, and how often that was so in a row.
    var pause: (until: Duration, count: Int)?
    private let bell = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let threads = DispatchQueue(label: "watch.files", attributes: .concurrent)
    var notifier: FolderNotifier?
    private var underway = 0
    private var alarm: Duration?
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
        report: @escaping @Sendable (WatchEvent) -> Void
    ) {
        self.options = options
        self.mark = WatchMark(sandbox: sandbox)
        self.time = time
        self.take = take
        self.report = report
        self.files = WatchedFiles(options)
        self.roots = options.folders.map { Root(given: $0, isPolled: options.mode == .polling) }
    }

    /// Watches until `end` is called or its task is cancelled; what is being taken in then is put away, and nothing
    /// else begins.
    ///
    /// - Throws: what handing a photo over has thrown.
    package func run() async throws {
        self.listen()
        self.ring()
        defer {
            self.isEnding = true
            self.notifier?.stop()
        }
        try await withThrowingDiscardingTaskGroup { alarms in
            defer { alarms.cancelAll() }
            try await withThrowingDiscardingTaskGroup { takes in
                for await _ in self.bell.stream {
                    guard !self.isEnding else { break }
                    await self.turn()
                    while let file = self.nextFile() {
                        guard let plan = await self.plan(for: file) else { continue }
                        takes.addTask { try await self.work(on: file, plan) }
                    }
                    if let due = self.nextAlarm() { alarms.addTask { await self.wake(at: due) } }
                }
            }
        }
    }

    /// Begins nothing more; `run` returns once what is being taken in has been put away.
    package func end() {
        self.isEnding = true
        self.ring()
    }

    var now: Duration { self.time.steady() }
    nonisolated var date: Timestamp { self.time.now() }

    /// Has the next turn come at once.
    nonisolated func ring() { self.bell.continuation.yield() }

    /// Runs what blocks on a thread that may.
    func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.threads.async { continuation.resume(returning: body()) }
        }
    }

    // MARK: Turns

    private func turn() async {
        let folders = self.takeChanges()
        var scans: [WatchEvent] = []
        for index in self.roots.indices where self.roots[index].nextScan <= self.now {
            if let scan = await self.scan(index) { scans.append(scan) }
        }
        for folder in folders { await self.scan(folder) }
        while await self.lookAtFiles() {}
        for scan in scans { self.report(scan) }
    }

    /// Looks at the files of a folder; `nil` if the folder is not there.
    func examiner(of root: Int) -> FileExaminer? {
        self.roots[root].real.map { FileExaminer(options: self.options, root: $0) }
    }

    private func nextFile() -> WatchedFiles.File? {
        guard !self.isEnding, self.underway < WatchLimits.takenAtOnce,
            self.pause.map({ $0.until <= self.now }) ?? true, let file = self.files.takeReady()
        else { return nil }
        self.underway += 1
        return file
    }

    /// Tells what is to be done with a file; `nil` if an older photo of its number comes first.
    private func plan(for file: WatchedFiles.File) async -> FileExaminer.Plan? {
        var plan = FileExaminer.Plan.changed
        if let sight = file.sight, let examiner = self.examiner(of: file.root) {
            plan = await self.blocking { examiner.plan(for: file.candidate, sight) }
        }
        let path = file.candidate.path
        guard let number = plan.number, self.numbers[path] != number else { return plan }
        self.release(path)
        self.numbers[path] = number
        self.queues[number, default: []].append(path)
        guard self.queues[number]?.first != path else { return plan }
        self.underway -= 1
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
        if let next = self.queues[number]?.first { self.files.putBack(next) } else { self.queues[number] = nil }
    }

    private func work(on file: WatchedFiles.File, _ plan: FileExaminer.Plan) async throws {
        let path = file.candidate.path
        defer {
            self.underway -= 1
            // One that is to be handed over again stays the first of its number.
            if self.files[path]?.phase != .ready { self.release(path) }
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
    private func nextAlarm() -> Duration? {
        // Where nothing may begin for other reasons, whoever ends calls.
        let pause = self.pause.flatMap { self.files.hasReady && $0.until > self.now ? $0.until : nil }
        let times = [self.files.nextDue(), pause].compactMap { $0 } + self.roots.map(\.nextScan)
        guard let due = times.min(), self.alarm.map({ due < $0 }) ?? true else { return nil }
        self.alarm = due
        return due
    }

    private func wake(at due: Duration) async {
        // Fallback of a sleep that is cancelled: the watch ends.
        try? await self.time.sleep(max(.zero, due - self.now))
        if self.alarm == due { self.alarm = nil }
        self.ring()
    }

    /// Looks at files that are due, and returns whether there may be more.
    private func lookAtFiles() async -> Bool {
        let due = self.files.takeDue(now: self.now, limit: WatchLimits.looksAtOnce)
        guard !due.isEmpty else { return false }
        let examiners = self.roots.indices.map(self.examiner)
        let looks = await self.blocking {
            var folders: [FilePath: SidecarNames] = [:]
            let looks = due.map { file in
                let sight = examiners[file.root]?.sight(of: file.candidate, &folders)
                return (path: file.candidate.path, sight: sight, name: sight.map { PhotoName($0.identity) })
            }
            // Of two of one side, the one that comes in later wins where their times say nothing.
            return looks.sorted { left, right in
                guard let name = left.name, let other = right.name else { return left.name == nil && right.name != nil }
                return name < other
            }
        }
        for look in looks {
            self.files.looked(at: look.path, look.sight, now: self.now)
            // Others of its number need not wait for one that is not ready after all.
            if self.files[look.path]?.phase != .ready { self.release(look.path) }
        }
        return due.count == WatchLimits.looksAtOnce
    }
}

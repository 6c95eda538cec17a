import CardModel
import DequeModule
import HeapModule
import SystemPackage

/// The state of the files of watched folders, and the files that are due next.
///
/// It neither reads files nor has a clock: callers pass observations and times. A file is complete when inotify reported that it
/// was closed or moved in and nothing has changed since, or when it was unchanged for a while over two observations.
struct WatchedFiles {
    /// What to do with a file.
    enum Phase: Hashable {
        /// Examine the file at this time.
        case examine(at: Duration)
        /// The file waits for its turn.
        case ready
        case underway
        /// Do nothing while the file is unchanged.
        case idle
    }

    struct File {
        let candidate: ListedFile
        /// The index of its named folder in the list.
        let root: Int
        fileprivate(set) var observation: FileObservation?
        /// When it was first observed in this state.
        fileprivate(set) var since = Duration.zero
        fileprivate(set) var tries = 0
        var isReported = false
        /// Whether its number has reached the limit for now, which was reported; the file keeps its place in the queue.
        var isWaiting = false
        /// The observation when its card became durable.
        var admitted: FileObservation?
        /// Whether there is nothing to do while it is unchanged.
        fileprivate(set) var isDone = false
        fileprivate(set) var phase: Phase
        /// Whether an event came while the file was processed.
        fileprivate var isStale = false
        /// Whether its closing was reported since the last observation.
        fileprivate var wasClosed = false
        /// Whether it is unchanged since its closing was reported.
        fileprivate var isClosed = false
        /// Whether it was written to and not closed.
        fileprivate var isOpen = false
        /// Whether its name appeared, and no closing was reported since.
        fileprivate var hasAppeared = false
        /// Whether it lacks the done-marker or sidecar that it must have to be admitted.
        fileprivate var lacksCompanion = false
        /// Whether the present scan has found it.
        fileprivate var isInScan = true
    }

    /// When to examine a file; outdated once `File.phase` has another time.
    private struct Examination: Comparable {
        let at: Duration
        /// The order of scheduling, for examinations at the same time.
        let number: Int
        let path: FilePath

        static func < (left: Self, right: Self) -> Bool { (left.at, left.number) < (right.at, right.number) }
    }

    private let options: WatchOptions
    private var files: [FilePath: File] = [:]
    /// The examinations of each folder; outdated ones are removed when they come first.
    private var examinations: [Int: Heap<Examination>] = [:]
    private var examinationCount = 0
    private var ready: [Int: Deque<FilePath>] = [:]

    init(_ options: WatchOptions) { self.options = options }

    func hasReady(in root: Int) -> Bool { self.ready[root]?.isEmpty == false }

    /// Returns when the next file of a folder is due.
    mutating func nextDue(in root: Int) -> Duration? {
        while let next = self.examinations[root]?.min {
            if self.files[next.path]?.phase == .examine(at: next.at) { return next.at }
            self.examinations[root]?.removeMin()
        }
        return nil
    }

    subscript(_ path: FilePath) -> File? {
        get { self.files[path] }
        set { self.files[path] = newValue }
    }

    /// How many files of a folder were reported as left in place, and are unchanged.
    func leftInPlaceCount(in root: Int) -> Int {
        self.files.values.count { $0.root == root && ($0.isReported || $0.isWaiting) }
    }

    // MARK: Events

    /// Schedules the examination of a file that a scan or an event named.
    mutating func schedule(_ candidate: ListedFile, root: Int, _ change: FolderChange.Kind? = nil, now: Duration) {
        let path = candidate.path
        var file = self.files[path] ?? File(candidate: candidate, root: root, phase: .idle)
        file.isInScan = true
        switch change {
        case .appeared: (file.hasAppeared, file.isOpen, file.isClosed, file.wasClosed) = (true, false, false, false)
        case .written: (file.isOpen, file.isClosed, file.wasClosed) = (true, false, false)
        case .closed: (file.hasAppeared, file.isOpen, file.wasClosed) = (false, false, true)
        case .left, nil: break
        }
        switch file.phase {
        case .underway: file.isStale = change != nil || file.isStale
        case .examine(let at) where at <= now: break
        // A rescan shortens no wait, except that for a missing companion: without inotify, only a scan finds the companion.
        case .examine where change == nil && !file.lacksCompanion: break
        case .ready where change == nil: break
        case .examine, .ready, .idle:
            file.phase = .examine(at: now)
            self.files[path] = file
            return self.addExamination(at: now, path)
        }
        self.files[path] = file
    }

    /// Resets the state derived from events, because changes were lost.
    mutating func changesWereLost() {
        for path in self.files.keys {
            self.files[path]?.isOpen = false
            self.files[path]?.hasAppeared = false
        }
    }

    mutating func scanBegins(root: Int) {
        for (path, file) in self.files where file.root == root { self.files[path]?.isInScan = false }
    }

    /// Forgets the files that the scan did not find.
    mutating func scanEnds(root: Int) {
        for (path, file) in self.files where file.root == root && !file.isInScan {
            // A scheduled sidecar stays, because scans do not list the sidecars of photos; so does a file that has its turn, or
            // is next: its turn shows that it is missing.
            if case .examine = file.phase, Sidecar.image(of: path) != nil { continue }
            if file.phase != .underway, file.phase != .ready { self.files[path] = nil }
        }
    }

    /// Forgets the files of a folder that is gone, except those whose turn has come or that are being processed.
    mutating func forget(root: Int) {
        for (path, file) in self.files where file.root == root && file.phase != .underway && file.phase != .ready {
            self.files[path] = nil
        }
    }

    // MARK: Examinations

    mutating func popDue(in root: Int, now: Duration, limit: Int) -> [File] {
        var due: [File] = []
        while due.count < limit, let at = self.nextDue(in: root), at <= now,
            let path = self.examinations[root]?.popMin()?.path
        {
            guard let file = self.files[path] else { continue }
            // An event during the examination schedules another one.
            self.files[path]?.phase = .idle
            due.append(file)
        }
        return due
    }

    /// Stores the observation of a file; `nil` if it does not exist.
    mutating func recordObservation(at path: FilePath, _ observation: FileObservation?, now: Duration) {
        guard var file = self.files[path], file.phase == .idle else { return }
        guard let observation else {
            self.files[path] = nil
            return
        }
        if file.observation != observation {
            if file.observation?.identity != observation.identity { (file.isClosed, file.admitted) = (false, nil) }
            (file.observation, file.since, file.tries) = (observation, now, 0)
            (file.isReported, file.isDone) = (false, false)
        }
        guard !file.isDone else { return }
        if file.wasClosed { (file.wasClosed, file.isClosed, file.since) = (false, true, now) }
        file.lacksCompanion = self.lacksCompanion(path, observation)
        let due = file.since + self.quietTimeRequired(of: file, observation)
        if now >= due {
            file.phase = .ready
            self.ready[file.root, default: []].append(path)
        } else {
            file.phase = .examine(at: due)
            self.addExamination(at: due, path)
        }
        self.files[path] = file
    }

    private func lacksCompanion(_ path: FilePath, _ observation: FileObservation) -> Bool {
        let lacksSidecar = self.options.sidecar == .required && observation.sidecar == nil
        return Sidecar.image(of: path) == nil && (lacksSidecar || self.options.lacksMarker(observation))
    }

    /// Returns how long a file must be unchanged before its turn; only in its turn is a missing companion reported.
    private func quietTimeRequired(of file: File, _ observation: FileObservation) -> Duration {
        if file.lacksCompanion { return self.openWait }
        let isSidecar = Sidecar.image(of: file.candidate.path) != nil
        let alone = self.quietTimeRequired(alone: file, observation.identity, isSidecar: isSidecar)
        // A sidecar without its photo: the photo may come soon.
        if isSidecar { return alone + self.options.quietTime + self.options.sidecarWait }
        guard let sidecar = observation.sidecar else {
            return self.options.sidecar == .optional ? max(alone, self.options.sidecarWait) : alone
        }
        let sidecarFile = self.files[FilePath(sidecar.identity.path.reveal())]
        let isSidecarBeingWritten = sidecarFile.map { self.isBeingWritten($0, sidecar.identity) } ?? false
        return isSidecarBeingWritten ? self.openWait : alone
    }

    /// Returns how long a file must be unchanged, whatever companions it has.
    private func quietTimeRequired(alone file: File, _ identity: FileIdentity, isSidecar: Bool) -> Duration {
        // A done-marker already says that the photo is complete.
        if self.options.doneMarker != nil, !isSidecar { return .zero }
        // Some programs make an empty file first, close it, and come back to fill it.
        if file.isClosed, identity.size > 0 { return .zero }
        return self.isBeingWritten(file, identity) ? self.openWait : self.options.quietTime
    }

    private var openWait: Duration { max(self.options.quietTime, WatchLimits.openWait) }

    /// Whether a file is open for writing, or new and still empty.
    private func isBeingWritten(_ file: File, _ identity: FileIdentity) -> Bool {
        file.isOpen || (file.hasAppeared && identity.size == 0)
    }

    // MARK: Turns

    mutating func popReady(in root: Int) -> File? {
        while let path = self.ready[root]?.popFirst() {
            // The file may have changed or vanished since it became ready.
            guard let file = self.files[path], file.phase == .ready else { continue }
            self.files[path]?.phase = .underway
            return file
        }
        return nil
    }

    /// Gives a file its turn again, before all others.
    mutating func requeue(_ path: FilePath) {
        guard let root = self.files[path]?.root else { return }
        self.files[path]?.phase = .ready
        self.ready[root, default: []].prepend(path)
    }

    /// Forgets a file that no longer exists; examines its name again if an event came meanwhile.
    mutating func forget(_ path: FilePath, now: Duration) {
        guard self.files[path]?.isStale == true else { return self.files[path] = nil }
        self.examineAgain(path, at: now)
    }

    /// Leaves a file alone while it is unchanged.
    ///
    /// - Parameter isDone: `false` allows another try when a scan finds the file.
    mutating func finish(_ path: FilePath, isDone: Bool = true, now: Duration) {
        self.files[path]?.isDone = isDone
        guard self.files[path]?.isStale != true else { return self.examineAgain(path, at: now) }
        self.files[path]?.phase = .idle
    }

    /// Schedules another examination; with `isTry`, the last one counts as a failed try.
    mutating func examineAgain(_ path: FilePath, at time: Duration, isTry: Bool = false) {
        self.files[path]?.isStale = false
        if isTry { self.files[path]?.tries += 1 }
        self.files[path]?.phase = .examine(at: time)
        self.addExamination(at: time, path)
    }

    private mutating func addExamination(at time: Duration, _ path: FilePath) {
        guard let root = self.files[path]?.root else { return }
        self.examinations[root, default: []].insert(Examination(at: time, number: self.examinationCount, path: path))
        self.examinationCount += 1
    }
}

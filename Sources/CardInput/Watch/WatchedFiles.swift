import CardModel
import SystemPackage

/// What is known of the files of watched folders, and what is due next.
///
/// It looks at nothing and has no clock: whoever has says what was seen and when. A file is complete when inotify told
/// that it was closed or moved in and nothing has changed since, or when it stood still for a while over two looks.
struct WatchedFiles {
    /// What is to be done with a file.
    enum Phase: Hashable {
        /// It is to be looked at, at this time.
        case look(at: Duration)
        /// It waits for its turn.
        case ready
        /// Somebody works on it.
        case underway
        /// Nothing, as long as it looks as it does.
        case settled
    }

    /// A file.
    struct File {
        /// Where it lies.
        let candidate: Candidate
        /// The place of its named folder in the list.
        let root: Int
        /// How it looked last.
        fileprivate(set) var sight: Sight?
        /// When it was first seen like this.
        fileprivate(set) var since = Duration.zero
        /// How often it was tried like this.
        fileprivate(set) var tries = 0
        /// Whether what became of it was told.
        var isTold = false
        /// How it looked when its card became durable.
        var taken: Sight?
        /// Whether nothing is to be done with it as long as it looks as it does.
        fileprivate(set) var isDone = false
        fileprivate(set) var phase: Phase
        /// Whether something was told of it while somebody worked on it.
        fileprivate var isStale = false
        /// Whether its end was told of since the last look, and whether it looks so since.
        fileprivate var wasClosed = false
        fileprivate var isClosed = false
        /// Whether somebody has written to it and not closed it.
        fileprivate var isOpen = false
        /// Whether its name was seen to appear, and no end was told of since.
        fileprivate var hasAppeared = false
        fileprivate var isInScan = true
    }

    private let quietTime: Duration
    private let sidecar: WatchOptions.SidecarRule
    private let sidecarWait: Duration
    private let doneMarker: String?
    private var files: [FilePath: File] = [:]
    private var due = DueTimes()
    private var ready: [FilePath] = []
    private var nextReady = 0

    /// Takes the waits.
    init(_ options: WatchOptions) {
        self.quietTime = options.quietTime
        self.sidecar = options.sidecar
        self.sidecarWait = options.sidecarWait
        self.doneMarker = options.doneMarker
    }

    /// Whether a file waits for its turn.
    var hasReady: Bool { self.nextReady < self.ready.count }
    /// When the next file is to be looked at.
    mutating func nextDue() -> Duration? {
        let files = self.files
        return self.due.first { files[$1]?.phase == .look(at: $0) }
    }

    subscript(_ path: FilePath) -> File? {
        get { self.files[path] }
        set { self.files[path] = newValue }
    }

    // MARK: News

    /// Has a file looked at that a scan or a hint has met.
    mutating func met(_ candidate: Candidate, root: Int, _ change: FolderChange.Kind? = nil, now: Duration) {
        let path = candidate.path
        var file = self.files[path] ?? File(candidate: candidate, root: root, phase: .settled)
        file.isInScan = true
        switch change {
        case .appeared:
            (file.hasAppeared, file.isOpen, file.isClosed, file.wasClosed) = (true, false, false, false)
        case .written: (file.isOpen, file.isClosed, file.wasClosed) = (true, false, false)
        case .closed: (file.hasAppeared, file.isOpen, file.wasClosed) = (false, false, true)
        case .left, nil: break
        }
        switch file.phase {
        case .underway: file.isStale = change != nil || file.isStale
        case .look(let at) where at <= now: break
        // A rescan does not cut a wait short.
        case .look where change == nil: break
        case .ready where change == nil: break
        case .look, .ready, .settled:
            file.phase = .look(at: now)
            self.due.insert(now, path)
        }
        self.files[path] = file
    }

    /// Takes what is told of any file from now on for all there is: changes were lost.
    mutating func changesWereLost() {
        for path in self.files.keys {
            self.files[path]?.isOpen = false
            self.files[path]?.hasAppeared = false
        }
    }

    /// Begins to look a folder through.
    mutating func scanBegins(root: Int) {
        for (path, file) in self.files where file.root == root { self.files[path]?.isInScan = false }
    }

    /// Forgets what was not met.
    mutating func scanEnds(root: Int) {
        for (path, file) in self.files where file.root == root && !file.isInScan {
            // One that has its turn, or is about to, is found to be gone then.
            if file.phase != .underway, file.phase != .ready { self.files[path] = nil }
        }
    }

    /// Forgets all files of a folder that is gone.
    mutating func forget(root: Int) {
        self.scanBegins(root: root)
        self.scanEnds(root: root)
    }

    // MARK: Looks

    /// Takes the files that are to be looked at now.
    mutating func takeDue(now: Duration, limit: Int) -> [File] {
        var taken: [File] = []
        while taken.count < limit, let at = self.nextDue(), at <= now, let path = self.due.removeFirst() {
            guard let file = self.files[path] else { continue }
            // Told of again during the look, it is looked at again.
            self.files[path]?.phase = .settled
            taken.append(file)
        }
        return taken
    }

    /// Notes how a file looks; `nil` if it is not there.
    mutating func looked(at path: FilePath, _ sight: Sight?, now: Duration) {
        guard var file = self.files[path], file.phase == .settled else { return }
        guard let sight else {
            self.files[path] = nil
            return
        }
        if file.sight != sight {
            if file.sight?.identity != sight.identity { (file.isClosed, file.taken) = (false, nil) }
            (file.sight, file.since, file.tries, file.isTold, file.isDone) = (sight, now, 0, false, false)
        }
        guard !file.isDone else { return }
        if file.wasClosed { (file.wasClosed, file.isClosed, file.since) = (false, true, now) }
        if let wait = self.wait(file, sight) {
            if now >= file.since + wait {
                file.phase = .ready
                self.ready.append(path)
            } else {
                file.phase = .look(at: file.since + wait)
                self.due.insert(file.since + wait, path)
            }
        }
        self.files[path] = file
    }

    /// How long a file must look as it does before its turn comes; `nil` for ever.
    private func wait(_ file: File, _ sight: Sight) -> Duration? {
        let isSidecar = Sidecar.image(of: file.candidate.path) != nil
        let isMarked = self.doneMarker.map { marker in sight.companions.contains { $0.suffix == marker } }
        if isMarked == false, !isSidecar { return nil }
        var wait = self.quietTime
        // Some programs make an empty file first, close it, and come back to fill it.
        if isMarked == true || (file.isClosed && sight.identity.size > 0) {
            wait = .zero
        } else if file.isOpen || (file.hasAppeared && sight.identity.size == 0) {
            wait = max(self.quietTime, WatchLimits.openWait)
        }
        // One that lies without its photo: that may be on its way.
        if isSidecar { return wait + self.quietTime + self.sidecarWait }
        guard sight.sidecar == nil else { return wait }
        switch self.sidecar {
        case .none: return wait
        case .optional: return max(wait, self.sidecarWait)
        case .required: return nil
        }
    }

    // MARK: Turns

    /// Takes the file whose turn it is.
    mutating func takeReady() -> File? {
        while self.hasReady {
            let path = self.ready[self.nextReady]
            self.nextReady += 1
            if self.nextReady == self.ready.count { (self.ready, self.nextReady) = ([], 0) }
            // It may have changed, or gone, since it became ready.
            guard let file = self.files[path], file.phase == .ready else { continue }
            self.files[path]?.phase = .underway
            return file
        }
        return nil
    }

    /// Gives a file its turn again, before all others.
    mutating func putBack(_ path: FilePath) {
        self.files[path]?.phase = .ready
        if self.nextReady > 0 {
            self.nextReady -= 1
            self.ready[self.nextReady] = path
        } else {
            self.ready.insert(path, at: 0)
        }
    }

    /// Forgets a file that is no longer there, unless something was told of its name meanwhile.
    mutating func isAway(_ path: FilePath, now: Duration) {
        guard self.files[path]?.isStale == true else { return self.files[path] = nil }
        self.lookAgain(path, at: now)
    }

    /// Leaves a file alone as long as it looks as it does.
    ///
    /// - Parameter isDone: `false` has it tried again when a scan meets it.
    mutating func settle(_ path: FilePath, isDone: Bool = true, now: Duration) {
        self.files[path]?.isDone = isDone
        guard self.files[path]?.isStale != true else { return self.lookAgain(path, at: now) }
        self.files[path]?.phase = .settled
    }

    /// Has a file looked at again.
    ///
    /// - Parameter isTry: whether that was a try.
    mutating func lookAgain(_ path: FilePath, at time: Duration, isTry: Bool = false) {
        self.files[path]?.isStale = false
        if isTry { self.files[path]?.tries += 1 }
        self.files[path]?.phase = .look(at: time)
        self.due.insert(time, path)
    }
}

/// A heap of times; one that does not hold any more stays until it comes to the top.
private struct DueTimes {
    private var heap: [(at: Duration, path: FilePath)] = []

    mutating func insert(_ at: Duration, _ path: FilePath) {
        var index = self.heap.count
        self.heap.append((at, path))
        while index > 0, self.heap[index].at < self.heap[(index - 1) / 2].at {
            self.heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The first time that holds.
    mutating func first(where holds: (Duration, FilePath) -> Bool) -> Duration? {
        while let top = self.heap.first {
            if holds(top.at, top.path) { return top.at }
            _ = self.removeFirst()
        }
        return nil
    }

    mutating func removeFirst() -> FilePath? {
        guard let top = self.heap.first, let last = self.heap.popLast() else { return nil }
        guard !self.heap.isEmpty else { return top.path }
        self.heap[0] = last
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < self.heap.count }
            guard let least = children.min(by: { self.heap[$0].at < self.heap[$1].at }),
                self.heap[least].at < self.heap[index].at
            else { return top.path }
            self.heap.swapAt(index, least)
            index = least
        }
    }
}

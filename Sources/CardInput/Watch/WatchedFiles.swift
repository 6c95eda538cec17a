import CardModel
import DequeModule
import HeapModule
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
        case underway
        /// Nothing, as long as it looks as it does.
        case settled
    }

    struct File {
        let candidate: ListedFile
        /// The place of its named folder in the list.
        let root: Int
        fileprivate(set) var observation: FileObservation?
        /// When it was first seen like this.
        fileprivate(set) var since = Duration.zero
        fileprivate(set) var tries = 0
        var isTold = false
        /// Whether its number has no room for now: it keeps its turn, and that was told.
        var isWaiting = false
        /// How it looked when its card became durable.
        var taken: FileObservation?
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
        /// Whether it lacks the done-marker or sidecar without which it is not taken.
        fileprivate var lacksCompanion = false
        fileprivate var isInScan = true
    }

    /// When a file is to be looked at; it holds as long as the file still says the same.
    private struct Look: Comparable {
        let at: Duration
        /// Of two at one time, the one that was asked for first comes first.
        let number: Int
        let path: FilePath

        static func < (left: Look, right: Look) -> Bool { (left.at, left.number) < (right.at, right.number) }
    }

    private let options: WatchOptions
    private var files: [FilePath: File] = [:]
    /// One that does not hold any more stays until it comes to the top.
    private var looks: [Int: Heap<Look>] = [:]
    private var lookCount = 0
    private var ready: [Int: Deque<FilePath>] = [:]

    init(_ options: WatchOptions) { self.options = options }

    func hasReady(in root: Int) -> Bool { self.ready[root]?.isEmpty == false }
    /// When the next file of a folder is to be looked at.
    mutating func nextDue(in root: Int) -> Duration? {
        while let look = self.looks[root]?.min {
            if self.files[look.path]?.phase == .look(at: look.at) { return look.at }
            self.looks[root]?.removeMin()
        }
        return nil
    }

    subscript(_ path: FilePath) -> File? {
        get { self.files[path] }
        set { self.files[path] = newValue }
    }

    /// How many files of a folder were told to stay, and still look so.
    func staying(in root: Int) -> Int { self.files.values.count { $0.root == root && ($0.isTold || $0.isWaiting) } }

    // MARK: News

    /// Has a file looked at that a scan or a hint has met.
    mutating func met(_ candidate: ListedFile, root: Int, _ change: FolderChange.Kind? = nil, now: Duration) {
        let path = candidate.path
        var file = self.files[path] ?? File(candidate: candidate, root: root, phase: .settled)
        file.isInScan = true
        switch change {
        case .appeared: (file.hasAppeared, file.isOpen, file.isClosed, file.wasClosed) = (true, false, false, false)
        case .written: (file.isOpen, file.isClosed, file.wasClosed) = (true, false, false)
        case .closed: (file.hasAppeared, file.isOpen, file.wasClosed) = (false, false, true)
        case .left, nil: break
        }
        switch file.phase {
        case .underway: file.isStale = change != nil || file.isStale
        case .look(let at) where at <= now: break
        // A rescan does not cut a wait short, but where inotify is silent it alone finds what was lacking.
        case .look where change == nil && !file.lacksCompanion: break
        case .ready where change == nil: break
        case .look, .ready, .settled:
            file.phase = .look(at: now)
            self.files[path] = file
            return self.addLook(at: now, path)
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

    mutating func scanBegins(root: Int) {
        for (path, file) in self.files where file.root == root { self.files[path]?.isInScan = false }
    }

    /// Forgets what was not met.
    mutating func scanEnds(root: Int) {
        for (path, file) in self.files where file.root == root && !file.isInScan {
            // One that has its turn, or is about to, is found to be gone then. So is a sidecar that is to be looked at:
            // a scan does not list those of photos.
            if case .look = file.phase, Sidecar.image(of: path) != nil { continue }
            if file.phase != .underway, file.phase != .ready { self.files[path] = nil }
        }
    }

    /// Forgets all files of a folder that is gone.
    mutating func forget(root: Int) {
        for (path, file) in self.files where file.root == root && file.phase != .underway && file.phase != .ready {
            self.files[path] = nil
        }
    }

    // MARK: Looks

    mutating func takeDue(in root: Int, now: Duration, limit: Int) -> [File] {
        var taken: [File] = []
        while taken.count < limit, let at = self.nextDue(in: root), at <= now,
            let path = self.looks[root]?.popMin()?.path
        {
            guard let file = self.files[path] else { continue }
            // Told of again during the look, it is looked at again.
            self.files[path]?.phase = .settled
            taken.append(file)
        }
        return taken
    }

    /// Notes how a file looks; `nil` if it is not there.
    mutating func looked(at path: FilePath, _ observation: FileObservation?, now: Duration) {
        guard var file = self.files[path], file.phase == .settled else { return }
        guard let observation else {
            self.files[path] = nil
            return
        }
        if file.observation != observation {
            if file.observation?.identity != observation.identity { (file.isClosed, file.taken) = (false, nil) }
            (file.observation, file.since, file.tries, file.isTold, file.isDone) = (observation, now, 0, false, false)
        }
        guard !file.isDone else { return }
        if file.wasClosed { (file.wasClosed, file.isClosed, file.since) = (false, true, now) }
        file.lacksCompanion = self.lacksCompanion(path, observation)
        let due = file.since + self.wait(file, observation)
        if now >= due {
            file.phase = .ready
            self.ready[file.root, default: []].append(path)
        } else {
            file.phase = .look(at: due)
            self.addLook(at: due, path)
        }
        self.files[path] = file
    }

    private func lacksCompanion(_ path: FilePath, _ observation: FileObservation) -> Bool {
        guard Sidecar.image(of: path) == nil else { return false }
        if let marker = self.options.doneMarker, !observation.companions.contains(where: { $0.suffix == marker }) {
            return true
        }
        return self.options.sidecar == .required && observation.sidecar == nil
    }

    /// How long a file must look as it does before its turn comes; that of one which lacks its companion comes for the
    /// file to be told of.
    private func wait(_ file: File, _ observation: FileObservation) -> Duration {
        let isSidecar = Sidecar.image(of: file.candidate.path) != nil
        let long = max(self.options.quietTime, WatchLimits.openWait)
        if file.lacksCompanion { return long }
        var wait = self.options.quietTime
        // Some programs make an empty file first, close it, and come back to fill it.
        if (self.options.doneMarker != nil && !isSidecar) || (file.isClosed && observation.identity.size > 0) {
            wait = .zero
        } else if self.isBeingWritten(file, observation.identity) {
            wait = long
        }
        // One that lies without its photo: that may be on its way.
        if isSidecar { return wait + self.options.quietTime + self.options.sidecarWait }
        if let sidecar = observation.sidecar {
            let file = self.files[FilePath(sidecar.identity.path.reveal())]
            return file.map { self.isBeingWritten($0, sidecar.identity) } ?? false ? long : wait
        }
        return self.options.sidecar == .optional ? max(wait, self.options.sidecarWait) : wait
    }

    /// Whether a file is open for writing, or was made and is still empty.
    private func isBeingWritten(_ file: File, _ identity: FileIdentity) -> Bool {
        file.isOpen || (file.hasAppeared && identity.size == 0)
    }

    // MARK: Turns

    mutating func takeReady(in root: Int) -> File? {
        while let path = self.ready[root]?.popFirst() {
            // It may have changed, or gone, since it became ready.
            guard let file = self.files[path], file.phase == .ready else { continue }
            self.files[path]?.phase = .underway
            return file
        }
        return nil
    }

    /// Gives a file its turn again, before all others.
    mutating func putBack(_ path: FilePath) {
        guard let root = self.files[path]?.root else { return }
        self.files[path]?.phase = .ready
        self.ready[root, default: []].prepend(path)
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

    /// Has a file looked at again; `isTry` counts what was done as a try.
    mutating func lookAgain(_ path: FilePath, at time: Duration, isTry: Bool = false) {
        self.files[path]?.isStale = false
        if isTry { self.files[path]?.tries += 1 }
        self.files[path]?.phase = .look(at: time)
        self.addLook(at: time, path)
    }

    private mutating func addLook(at time: Duration, _ path: FilePath) {
        guard let root = self.files[path]?.root else { return }
        self.looks[root, default: []].insert(Look(at: time, number: self.lookCount, path: path))
        self.lookCount += 1
    }
}

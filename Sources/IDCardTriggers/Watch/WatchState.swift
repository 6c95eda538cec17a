/// What a watch knows and does at a moment; guarded by a lock, since many tasks and a thread tell it news.
struct WatchState {
    /// One root.
    struct Root {
        /// The folder as the user gave it.
        var given: String
        /// The folder on the disk; `nil` while it is not there.
        var root: WatchedRoot?
        /// What its manifest says, if there is one.
        var manifest: RootManifest?
        /// When it is looked through next.
        var nextScan = Duration.zero
        /// Whether the pipeline was told of all that was found when it was first looked through.
        var hasToldAll = false
        /// Whether inotify does not tell of all of it.
        var isPolled = false
        /// What was told to be wrong.
        var problems: Set<WatchEvent.Problem> = []
        /// The folders below it that cannot be listed.
        var unreadable: Set<PathBytes> = []
        /// Whether it has ever held a sidecar or a manifest.
        var metadataFiles = MetadataFiles.unknown
        /// The names that files wait for which bear another one for now.
        var awaitedNames: Set<PathBytes> = []
    }

    /// Whether a root has ever held a sidecar or a manifest.
    enum MetadataFiles {
        /// The sandbox was not asked yet.
        case unknown
        /// It has not, as far as the sandbox knows.
        case none
        /// One was met, and the sandbox does not know yet.
        case met
        /// It has, and the sandbox knows.
        case noted
    }

    /// How many such names are kept in mind; the files of others get theirs back by a later scan.
    private static let awaitedLimit = 1000

    /// How many folders may wait to be looked through before the whole root is.
    static let folderLimit = 1000

    /// How many files are taken in at a time.
    let concurrency: Int
    var ledger: WatchLedger
    var roots: [Root]
    /// The folders where files are put away.
    var excluded: Set<PathBytes> = []
    /// What the pipeline was told of files that are yet to be taken in.
    var expected: [PathBytes: ExpectedFile] = [:]
    /// The roots that have been looked through since the pipeline was last told.
    var lookedThrough: Set<Int> = []
    /// Folders that appeared since the last scan.
    var folders: [WatchedPath] = []
    /// Whether a scan, or looks at single files, are under way; and how many files are being taken in.
    var isScanning = false
    var isLooking = false
    var working = 0
    /// The image that a scan is giving its name back just now.
    private(set) var recovering: WatchedPath?
    /// Until when nothing is taken in, because the pipeline asked for it.
    var closedUntil: Duration?
    /// Whether inotify is read at all.
    var hasNotifier = false
    /// Whether to begin nothing more.
    var isEnding = false

    /// What to look through now, if anything: a root whose time has come, else folders that appeared.
    mutating func nextScan(now: Duration) -> Scan? {
        guard !self.isScanning else { return nil }
        for index in self.ledger.rootsWithRoom() { self.roots[index].nextScan = min(self.roots[index].nextScan, now) }
        if let index = self.roots.indices.first(where: { self.roots[$0].nextScan <= now }) {
            self.isScanning = true
            // News from now on ask for another scan.
            self.roots[index].nextScan = .max
            return .root(index)
        }
        guard !self.folders.isEmpty else { return nil }
        self.isScanning = true
        defer { self.folders = [] }
        return .folders(self.folders)
    }

    /// Something to look through.
    enum Scan: Sendable {
        case root(Int)
        case folders([WatchedPath])
    }

    /// Lets every root be looked through now.
    mutating func scanAll(now: Duration) {
        for index in self.roots.indices { self.roots[index].nextScan = min(self.roots[index].nextScan, now) }
    }

    /// Whether a file is ready and there is a place for it.
    var mayTake: Bool { self.working < self.concurrency && self.ledger.hasReady }

    /// Notes where a root lies on the disk.
    mutating func attach(_ root: WatchedRoot) {
        self.roots[root.index].root = root
        let attached = self.roots.compactMap(\.root)
        self.excluded = Set(
            attached.flatMap { [$0.donePath, $0.failedPath, $0.sandboxPath].compactMap(\.self).map(PathBytes.init) }
        )
    }

    /// Notes that a root holds a sidecar or a manifest.
    mutating func metMetadataFile(root: Int) {
        if self.roots[root].metadataFiles != .noted { self.roots[root].metadataFiles = .met }
    }

    // MARK: Names to be given back

    /// Notes that an image is to get its name back; `false` if it is being taken in or put away just now.
    mutating func beginRecovery(of image: WatchedPath) -> Bool {
        // Before the try, so that a name that becomes free meanwhile is not missed.
        self.waitForName(of: image)
        guard !self.ledger.isUnderway(image) else { return false }
        self.recovering = image
        return true
    }

    /// Notes that this is over; `isWaiting` tells whether another file has the name.
    mutating func endRecovery(of image: WatchedPath, isWaiting: Bool) {
        self.recovering = nil
        if !isWaiting { self.roots[image.root].awaitedNames.remove(image.key) }
    }

    /// Has the root of a file looked through once the file that has its name by now is put away.
    mutating func waitForName(of file: WatchedPath) {
        guard self.roots[file.root].awaitedNames.count < Self.awaitedLimit else { return }
        self.roots[file.root].awaitedNames.insert(file.key)
    }

    /// Notes that a file was put away: its name may be free.
    mutating func placed(_ file: WatchedPath, now: Duration) {
        guard self.roots[file.root].awaitedNames.remove(file.key) != nil else { return }
        self.roots[file.root].nextScan = min(self.roots[file.root].nextScan, now)
    }

    /// When something is to be done next, if nothing happens before.
    var nextDue: Duration? {
        var times: [Duration] = []
        if !self.isScanning { times += self.roots.map(\.nextScan) }
        if !self.isLooking, let due = self.ledger.nextDue { times.append(due) }
        if let until = self.closedUntil, self.mayTake { times.append(until) }
        return times.min()
    }
}

extension Duration {
    /// A time that never comes.
    static let max = Duration.seconds(Int64.max / 2)
}

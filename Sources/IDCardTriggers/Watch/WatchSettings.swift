/// How folders are watched; each is a configuration key.
package struct WatchSettings: Sendable {
    /// What becomes of a source file once its card is durable.
    package enum Disposal: String, CaseIterable, Hashable, Sendable {
        /// It goes to the folder for done files.
        case move
        /// It is deleted.
        case delete
        /// It stays, and so does one that is refused.
        case leave
    }

    /// How news are learnt of.
    package enum Mode: String, CaseIterable, Hashable, Sendable {
        /// By inotify, with rescans; as `polling` where inotify cannot be had or does not see what others do (NFS, SMB).
        case automatic
        /// By looking again and again.
        case polling
    }

    /// Whether an image is taken without its sidecar.
    package enum SidecarRule: String, CaseIterable, Hashable, Sendable {
        /// It is, if it has a business number without it.
        case optional
        /// One that has only its folder's number waits for its sidecar first.
        case expected
        /// Never.
        case required
    }

    /// How news are learnt of (`watch.mode`, automatic).
    package var mode = Mode.automatic
    /// What becomes of a file once its card is durable (`watch.after`, move).
    package var after = Disposal.move
    /// Where done files go: a folder below each root, or an absolute path (`watch.done_folder`, `done`).
    package var doneFolder = "done"
    /// Where refused files go, likewise (`watch.failed_folder`, `failed`).
    package var failedFolder = "failed"
    /// How often everything is looked through with inotify (`watch.rescan_interval`, 5 minutes).
    package var rescanInterval = Duration.seconds(300)
    /// How often without (`watch.poll_interval`, 5 seconds).
    package var pollInterval = Duration.seconds(5)
    /// How long size and modification time of a file stand still before it counts as complete, unless inotify tells
    /// sooner (`watch.quiet_time`, 5 seconds; longer than file servers keep attributes, which is 3 seconds for NFS).
    package var quietTime = Duration.seconds(5)
    /// How long a file stays untouched after inotify told that it was closed or moved in (`watch.close_wait`, 0); for
    /// programs that open a file several times.
    package var closeWait = Duration.zero
    /// How long a file that was seen being created must stand still if inotify never tells that it was closed
    /// (`watch.open_wait`, 10 minutes).
    package var openWait = Duration.seconds(600)
    /// The suffix of a file that says that an image is complete: with `.done`, `a.jpg` is taken once `a.jpg.done` is
    /// there (`watch.done_marker`, none).
    package var doneMarker: String?
    /// Patterns of names that are never inputs, beside those of `WatchedNames` (`watch.ignore`, none).
    package var ignoredPatterns: [String] = []
    /// Whether an image needs a sidecar (`watch.sidecar`); without one it is expected in folders that have ever held a
    /// sidecar or a manifest, else optional.
    package var sidecar: SidecarRule?
    /// How long an image whose metadata are not complete waits for its sidecar, and a sidecar for its image
    /// (`watch.sidecar_wait`, 10 seconds).
    package var sidecarWait = Duration.seconds(10)
    /// Whether a card needs a user account of its own, because the configuration has none.
    package var requiresUserNumber = false
    /// The names that a manifest may have in a root, the first one found counts (`watch.manifests`).
    package var manifests = ["manifest.csv", "manifest.jsonl", "manifest.ndjson"]
    /// The largest manifest in bytes (`watch.max_manifest_bytes`, 16 MiB): it is kept in memory as long as the watch runs.
    package var manifestBytes = 16 << 20
    /// How many files are taken in at a time (`watch.concurrency`, as many as images are decoded).
    package var concurrency = 2
    /// The first wait before a file is tried again; it doubles each time (`watch.retry_base`, 1 second).
    package var retryBase = Duration.seconds(1)
    /// The longest such wait (`watch.retry_cap`, 5 minutes).
    package var retryCap = Duration.seconds(300)
    /// How often a file is tried that cannot be opened or decoded for a reason that may pass (`watch.attempts`, 6).
    package var attempts = 6
    /// How many files are kept in mind at a time; others wait in their folder (`watch.pending_files`, 10,000).
    package var pendingFiles = 10_000
    /// How often a root that is not there is looked for.
    package var returnInterval = Duration.seconds(2)
    /// Business number and user account of images without one of their own, how an image is told, and limits.
    package var inputs: BatchOptions

    /// Makes settings with the documented defaults.
    package init(inputs: BatchOptions) {
        self.inputs = inputs
    }
}

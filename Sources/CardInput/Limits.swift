/// Fixed limits of inputs, each with its reason.
enum InputLimits {
    /// The most files of one list, including those that are not images: the memory of a listing stays below 1 GB.
    static let inputs = 1_000_000
    /// The largest sidecar in bytes; it has six short fields.
    static let sidecarBytes = 65_536
    /// How many bytes of a folder's mark are read; it holds an identity of 36 characters.
    static let markBytes = 128
    /// The largest manifest in bytes; a million rows of 256 bytes, read as a whole.
    static let manifestBytes = 268_435_456
    /// How many leading bytes of a file are enough to recognise an image.
    static let sniffBytes = 4096
    /// The levels of `folder:LEVEL`; no real path has more folders.
    static let levels = 1...64
    /// How many unknown columns a message names, and the most characters of each.
    static let shownNames = (count: 5, length: 40)
}

/// Fixed limits of watched folders, each with its reason.
enum WatchLimits {
    /// The interval of full scans if inotify works.
    static let rescan = Duration.seconds(300)
    /// The interval of full scans without inotify.
    static let poll = Duration.seconds(5)
    /// How long a folder that the watch has emptied is kept before it is removed.
    static let emptiedWait = Duration.seconds(86_400)
    static let missingFolderInterval = Duration.seconds(2)
    /// How long a folder may take to answer before its silence is reported.
    static let silence = Duration.seconds(30)
    /// How long a file must be unchanged if it was written to and not closed: a scanner or a slow copy may pause.
    static let openWait = Duration.seconds(600)
    /// How long an unfinished download must be unchanged before it is reported: an incomplete photo, marked by a file beside it.
    static let unfinishedWait = Duration.seconds(3600)
    /// The most photos handed to the pipeline at a time: enough to share commits, few enough for a short wait at the end.
    static let handedOverAtOnce = 8
    /// How long a stopping watch waits for a file that is being archived: its folder may not answer.
    static let endWait = Duration.seconds(3)
    /// The most files examined in one step.
    static let examinedAtOnce = 500
    /// How often a file is tried if it cannot be opened, or cannot be decoded for a temporary reason.
    static let tries = 6
    /// The wait before something is tried again; it doubles each time up to the second value.
    static let retry = (first: Duration.seconds(1), longest: Duration.seconds(60))
    /// How many numbered names in a row may be free before the search for a file ends.
    static let missingNames = 16
    /// The most changes between two turns of a folder; beyond them, everything is scanned again.
    static let changes = 65_536

    /// Returns the wait before the next try, after `tries` failed ones.
    static func wait(tries: Int) -> Duration { min(self.retry.longest, self.retry.first * (1 << min(tries, 20))) }
}

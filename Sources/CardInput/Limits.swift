/// What nobody has a reason to set.
enum InputLimits {
    /// The most files of one list, those that are no images included: what a listing holds in memory stays below 1 GB.
    static let inputs = 1_000_000
    /// The largest sidecar in bytes; it has six short fields.
    static let sidecarBytes = 65_536
    /// How many bytes of a mark are read; it holds an identity of 36 characters.
    static let markBytes = 128
    /// The largest manifest in bytes; a million rows of 256 bytes, read as a whole.
    static let manifestBytes = 268_435_456
    /// How many bytes at the start of a file tell whether it is an image.
    static let sniffBytes = 4096
    /// The levels of `folder:LEVEL`; a path has no more folders that anybody would count.
    static let levels = 1...64
    /// How many unknown columns a message names, and how long each may be there.
    static let shownNames = (count: 5, length: 40)
}

/// What nobody has a reason to set about watched folders.
enum WatchLimits {
    /// How often everything is looked through, whatever inotify tells.
    static let rescan = Duration.seconds(300)
    /// How often everything is looked through without inotify.
    static let poll = Duration.seconds(5)
    /// How long a folder stands empty before only rescans look into it: each inotify watch counts towards a limit of the
    /// system.
    static let emptyWait = Duration.seconds(3600)
    /// How long a folder stands empty that the watch has emptied before it is removed.
    static let emptiedWait = Duration.seconds(86_400)
    /// How often a folder that is not there is looked for.
    static let comeBack = Duration.seconds(2)
    /// How long a folder may take to answer before that is told.
    static let silence = Duration.seconds(30)
    /// How long a file that somebody has written to and not closed must stand still: a scanner or a slow copy may
    /// pause.
    static let openWait = Duration.seconds(600)
    /// How long an incomplete photo stands still beside what a download keeps there before that is told.
    static let unfinishedWait = Duration.seconds(3600)
    /// Photos that are handed to the pipeline at a time: enough to share commits, few to wait for at the end.
    static let takenAtOnce = 8
    /// How long the end waits for a file that is being put away: a folder may not answer.
    static let endWait = Duration.seconds(3)
    /// Files that are looked at between two turns.
    static let looksAtOnce = 500
    /// How often a file is tried that cannot be opened, or decoded for a reason that may pass.
    static let tries = 6
    /// The wait before something is tried again; it doubles each time up to the second value.
    static let retry = (first: Duration.seconds(1), longest: Duration.seconds(60))
    /// How many numbered names of one file name may be free in a row before one that is taken.
    static let missingNames = 16
    /// Changes that are kept between two turns; beyond, all is looked through again.
    static let changes = 65_536

    /// How long to wait before something is tried again that was tried so often.
    static func wait(tries: Int) -> Duration { min(self.retry.longest, self.retry.first * (1 << min(tries, 20))) }
}

/// How a sandbox deals with its disk and with other processes.
package struct SandboxStorage: Hashable, Sendable {
    /// How long to wait for a lock that another process holds.
    package var busyTimeout = Duration.seconds(30)
    /// The size of the write-ahead log, in bytes, from which on readers are waited for so that it can start anew.
    package var writeAheadLimit = 64 << 20
    /// How many bytes are kept in reserve for finishing work on a full disk; 0 keeps none.
    package var ballast = 16 << 20
    /// Free bytes on the disk below which nothing more is taken in.
    package var intakeFreeSpace = 256 << 20
    /// Free bytes on the disk below which only what ends cards goes on.
    package var workFreeSpace = 64 << 20
    /// Bytes of database and write-ahead log from which on nothing more is taken in; 0 sets no limit.
    package var maximumBytes = 0
    /// How long a busy writer waits for more changes that it can commit together; for a batch, where nobody waits for
    /// a single card.
    package var commitDelay = Duration.zero
    /// Bytes of images of cards under way that are kept in memory, so that no stage reads again what the one before
    /// made; 0 keeps none.
    package var recentImages = 8 << 20

    /// Whether a sandbox of an older version is copied before it is changed.
    package var keepsUpgradeBackup = true

    /// The largest file, in bytes, that is searched at once for what an erasure left; in a larger one that is left to the
    /// next sweep.
    package var largestQuickSearch = 64 << 20
    /// The largest file that an erasure writes anew by itself, in bytes: that takes its size in memory and in the
    /// write-ahead log. A repair, which somebody watches, writes a file of any size anew.
    package var largestRewrite = 256 << 20

    /// Takes the defaults.
    package init() {}
}

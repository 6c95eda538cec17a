/// A hint that something deserves a look; it may be wrong or come late, and may be missing altogether.
enum FolderNotice: Hashable, Sendable {
    /// A file was closed after writing, or moved in.
    case closed(WatchedPath)
    /// A file appeared; it will be closed if it is being created, but not if it got a further name.
    case created(WatchedPath)
    /// Somebody wrote to a file.
    case modified(WatchedPath)
    /// A folder appeared, or something in it that has no readable name.
    case folder(WatchedPath)
    /// The root itself was moved or deleted.
    case rootGone(Int)
    /// Events were lost.
    case overflow
}

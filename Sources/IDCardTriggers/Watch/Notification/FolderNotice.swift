/// A hint that something deserves a look; it may be wrong or come late, and may be missing altogether.
enum FolderNotice: Hashable, Sendable {
    /// A file was closed after writing, or moved in.
    case closed(WatchedPath)
    /// A file appeared; it will be closed unless it is a link.
    case created(WatchedPath)
    /// A folder appeared, or something in it that has no readable name.
    case folder(WatchedPath)
    /// The root itself was moved or deleted.
    case rootGone(Int)
    /// Events were lost.
    case overflow
}

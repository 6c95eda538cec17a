/// A file or folder below a watched root.
struct WatchedPath: Hashable, Sendable {
    /// The place of the root in the list, from 0.
    var root: Int
    /// The absolute path, the root's part of it real.
    var path: String

    /// The path by its bytes.
    var key: PathBytes { PathBytes(self.path) }
}

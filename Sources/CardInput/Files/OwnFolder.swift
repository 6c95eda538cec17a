import SystemPackage

/// The folder in which the program keeps its sandbox, as it lies on the disk: nothing in it is an input.
///
/// Its files are not even opened to see what they are. SQLite locks by fcntl(2), and a process that closes any
/// descriptor of a file lets go of all locks that it has on it (https://sqlite.org/howtocorrupt.html, 2.2): another
/// process would then take itself for the last one and remove the log that this one goes on writing to.
struct OwnFolder {
    private let path: FilePath?

    /// Looks the folder up; one that is not there holds nothing.
    init(_ written: String?) {
        self.path = written.flatMap { try? FilePath($0).real() }
    }

    /// Whether a real path is the folder or lies in it.
    func holds(_ real: FilePath) -> Bool {
        self.path.map { real.starts(with: $0) } ?? false
    }
}

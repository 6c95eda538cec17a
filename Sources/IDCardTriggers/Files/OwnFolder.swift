/// The folder in which the program keeps its sandbox, as it lies on the disk: nothing in it is an input.
///
/// Its files are not even opened to see what they are. SQLite locks by fcntl(2), and a process that closes any descriptor of
/// a file lets go of all locks that it has on it (https://sqlite.org/howtocorrupt.html, 2.2): another process would then take
/// itself for the last one and remove the log that this one goes on writing to.
struct OwnFolder: Sendable {
    /// Its real path.
    let path: String?
    private let prefix: [UInt8]

    /// Looks the folder up; one that is not there holds nothing.
    init(_ written: String?) {
        self.path = written.flatMap { try? FileKind.realPath(of: $0) }
        self.prefix = self.path.map { Array(PathText.join($0, "").utf8) } ?? []
    }

    /// Whether a real path is the folder or lies in it.
    func holds(_ real: String) -> Bool {
        guard let path = self.path else { return false }
        return real.utf8.starts(with: self.prefix) || PathBytes(real) == PathBytes(path)
    }
}

import CardModel
import Foundation
import Glibc

/// The folder of a sandbox and the files in it: accessible only to their owner, whatever the umask.
struct SandboxFolder: Sendable {
    /// The absolute path.
    let path: String

    var database: String { "\(self.path)/sandbox.sqlite3" }
    /// The certificates of erased cards.
    var erasures: String { "\(self.path)/erasures.jsonl" }
    var workers: String { "\(self.path)/workers" }
    /// The file whose lock a process holds while it makes or opens the sandbox, uses it alone, or registers a worker.
    var openingLock: String { "\(self.path)/opening.lock" }

    /// The file that reserves space, to be freed on a full disk.
    var reserve: String { "\(self.path)/reserve" }

    /// Returns the workers that have a lock file, dead or alive.
    func workerIDs() throws -> [String] { try Self.names(in: self.workers).sorted() }

    func workerLock(_ id: String) -> String { "\(self.workers)/\(id)" }

    /// Whether there is a database file that is not empty.
    var hasDatabase: Bool {
        var status = stat()
        return stat(self.database, &status) == 0 && status.st_size > 0
    }

    /// Makes missing folders and an empty database file, accessible only to their owner.
    ///
    /// - Throws: `CodedError` `sandbox_unavailable`.
    func create() throws {
        try self.makeFolder(self.path, mayHoldOtherFiles: self.hasDatabase)
        try self.makeFolder(self.workers, mayHoldOtherFiles: true)
        let descriptor = open(self.database, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure(self.database) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure(self.database) }
        try DurableFile.synchroniseFolder(self.path)
    }

    /// Refuses a network file system, and a new sandbox within another one, which a path one level too deep would make.
    ///
    /// - Parameter disk: the kind of file system; looked up if it is not given.
    /// - Throws: `CodedError` `sandbox_unavailable` of kind `configuration`.
    func requirePlace(on disk: FileSystemKind? = nil) throws(CodedError) {
        if let disk = disk ?? FileSystemKind(of: self.path), disk.isNetwork {
            throw CodedError(.sandboxUnavailable, .configuration, .sandboxRemote(self.path, disk.name))
        }
        if !self.hasDatabase { try self.requireOutside() }
    }

    /// Refuses a path within another sandbox. The path itself may be a sandbox, which another process has just made.
    func requireOutside() throws(CodedError) {
        var folder = DurableFile.nearestExisting(self.path)
        if folder == SecretRights.realPath(self.path) { folder = DurableFile.folder(of: folder) }
        while folder != DurableFile.folder(of: folder) {
            if SandboxFolder(path: folder).hasDatabase {
                throw CodedError(.sandboxUnavailable, .configuration, .sandboxWithin(self.path, folder))
            }
            folder = DurableFile.folder(of: folder)
        }
    }

    /// Makes a private folder. If the folder exists, holds other files and is open to other users, it is refused: making it
    /// private could lock these users out.
    private func makeFolder(_ path: String, mayHoldOtherFiles: Bool) throws {
        try DurableFile.makeFolders(path, mode: 0o700)
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CodedError(.sandboxUnavailable, .configuration, .sandboxNotFolder(path))
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard try mayHoldOtherFiles || Self.names(in: path).isEmpty else {
            throw CodedError(.sandboxUnavailable, .configuration, .sandboxShared(path))
        }
        guard chmod(path, 0o700) == 0 else { throw Self.failure(path) }
    }

    private static func names(in path: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch { throw Self.failure(path) }
    }

    /// An error of the operating system at a file or folder.
    static func failure(_ path: String) -> CodedError { .unavailable(.sandboxFile(path, errno)) }
}

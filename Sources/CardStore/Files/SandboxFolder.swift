import CardModel
import Foundation
import Glibc

/// The folder of a sandbox and the files in it: made for their owner's eyes only, whatever the umask.
struct SandboxFolder: Sendable {
    /// Absolute.
    let path: String

    var database: String { "\(self.path)/sandbox.sqlite3" }
    /// The certificates of erased cards.
    var erasures: String { "\(self.path)/erasures.jsonl" }
    var workers: String { "\(self.path)/workers" }
    /// Held while a sandbox is made, opened or had alone, and while a worker begins.
    var openingLock: String { "\(self.path)/opening.lock" }

    /// Keeps room for a full disk.
    var reserve: String { "\(self.path)/reserve" }

    /// The workers that have a lock file, dead or alive.
    func workerIDs() throws -> [String] {
        try Self.names(in: self.workers).sorted()
    }

    func workerLock(_ id: String) -> String { "\(self.workers)/\(id)" }

    /// Whether a database file is there that something was written to.
    var hasDatabase: Bool {
        var status = stat()
        return stat(self.database, &status) == 0 && status.st_size > 0
    }

    /// Makes the folders and an empty database file where they are missing, and closes them to others.
    ///
    /// - Throws: `CodedError` `sandbox_unavailable`.
    func create() throws {
        try self.makeFolder(self.path, mayHoldOtherFiles: self.hasDatabase)
        try self.makeFolder(self.workers, mayHoldOtherFiles: true)
        let descriptor = open(self.database, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the file \(Redacted(self.database)) cannot be made") }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw Self.failure("the mode of \(Redacted(self.database)) cannot be set")
        }
        try DurableFile.synchroniseFolder(self.path)
    }

    /// A folder that also holds other things is refused rather than closed to others.
    private func makeFolder(_ path: String, mayHoldOtherFiles: Bool) throws {
        try DurableFile.makeFolders(path, mode: 0o700)
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.failure("the folder \(Redacted(path)) cannot be looked at") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw CodedError(
                .sandboxUnavailable,
                .configuration,
                "\(Redacted(path)) is not a folder; name another sandbox (sandbox.path)"
            )
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard try mayHoldOtherFiles || Self.names(in: path).isEmpty else {
            throw CodedError(
                .sandboxUnavailable,
                .configuration,
                "the folder \(Redacted(path)) holds other files and others may look into it; name a new folder as the sandbox"
            )
        }
        guard chmod(path, 0o700) == 0 else { throw Self.failure("the mode of \(Redacted(path)) cannot be set") }
    }

    private static func names(in path: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw Self.failure("the folder \(Redacted(path)) cannot be listed")
        }
    }

    /// An error of the operating system, with its text.
    static func failure(_ what: Message) -> CodedError {
        let text = String(cString: strerror(errno))
        return CodedError.unavailable(
            what + ": \(text); check the path, its owner and the free space"
        )
    }
}

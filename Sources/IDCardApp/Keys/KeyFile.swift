import Foundation
import Glibc
import IDCardCore
import IDCardSandbox
import SystemPackage

/// The file that keeps the keys of a sandbox, the current one first; nobody but its owner may touch it.
struct KeyFile: Hashable, Sendable {
    /// What a key looks like.
    static let form = "32 random bytes in Base64 (or 64 hexadecimal digits)"

    /// Where it lies.
    let path: String
    /// What to do if it is not there, for messages.
    let remedy: String

    init(path: String, remedy: String = "make it by `idcard-pipeline keys init`, or name the file that there is") {
        self.path = path
        self.remedy = remedy
    }

    /// The file of the embedded endpoints, which is made together with their sandbox and never again.
    static func embedded(_ path: String) -> KeyFile {
        KeyFile(
            path: path,
            remedy: "put back the file that was made with this sandbox, or name a new sandbox by --sandbox"
        )
    }

    /// Whether something is there, readable or not.
    var exists: Bool {
        var status = stat()
        return lstat(self.path, &status) == 0
    }

    /// Reads the keys.
    ///
    /// - Throws: `insecureFile`, `secretUnreadable`.
    func read() throws(ConfigurationError.Problem) -> KeyRing {
        guard self.exists else {
            throw self.problem(.secretUnreadable, "does not exist; \(self.remedy)")
        }
        let text = try SecretFile(path: self.path, key: Self.key).readText(
            expected: "keys of the sandbox, \(Self.form)"
        )
        do throws(KeyRing.Refusal) {
            return try KeyRing(text: text.reveal())
        } catch {
            throw self.problem(
                .secretUnreadable,
                "cannot be used: \(error.words); it must hold keys, one a line, \(Self.form)"
            )
        }
    }

    /// Writes a file with one key, unless there is a file by then: of several processes the first one's key counts, and
    /// nobody sees half a file.
    ///
    /// - Returns: whether the file was made here.
    /// - Throws: `secretUnwritable`.
    func create(_ key: VaultKey) throws(ConfigurationError.Problem) -> Bool {
        try self.writing {
            try self.makeFolder()
            return try self.place(KeyRing(key)) { temporary in
                // Unlike rename(2), link(2) does not replace a file that another process has put there meanwhile.
                guard link(temporary, self.path) != 0 else { return true }
                guard errno == EEXIST else { throw Errno(rawValue: errno) }
                return false
            }
        }
    }

    /// Sees to it that the file holds a key, whether it makes the file or finds it.
    ///
    /// - Throws: `secretUnwritable` if it cannot be made, or holds other keys; `insecureFile`, `secretUnreadable`.
    func keep(_ key: VaultKey) throws(ConfigurationError.Problem) {
        if try self.create(key) { return }
        guard try self.read().keys.contains(key) else {
            throw self.problem(
                .secretUnwritable,
                "is there already and holds another key; move it away, then try again"
            )
        }
    }

    /// Writes other keys in place of those that are there, whole or not at all.
    ///
    /// - Throws: `secretUnwritable`.
    func replace(with ring: KeyRing) throws(ConfigurationError.Problem) {
        // A link keeps leading where it led: what it names is replaced, not the link.
        let target = KeyFile(path: Self.resolved(self.path))
        try self.writing {
            try target.place(ring) { temporary in
                guard rename(temporary, target.path) == 0 else { throw Errno(rawValue: errno) }
            }
        }
    }

    /// Holds the file for one who changes it; the lock is that of its folder, as the file itself is replaced.
    ///
    /// - Throws: `secretUnwritable` if another process changes a key file there.
    func lock() throws(ConfigurationError.Problem) -> FileDescriptor {
        let folder = Self.folder(of: Self.resolved(self.path))
        let descriptor = try self.writing {
            try FileDescriptor.open(folder, .readOnly, options: [.closeOnExec, .directory])
        }
        guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            try? descriptor.close()  // Nothing was written through it.
            throw self.problem(
                .secretUnwritable,
                "is being changed by another process; wait until that has ended, then try again"
            )
        }
        return descriptor
    }

    /// The file in which a key that was replaced lies on, for old backups.
    func retired(_ key: VaultKey) -> KeyFile { KeyFile(path: "\(self.path).retired-\(key.id)") }

    private static let key = "vault.key_file"

    private static let header = """
        # Keys of an idcard-pipeline sandbox: all of them open what is there, and the first is the newest.
        # Without them the sandbox cannot be read by anybody: keep a copy in another place.

        """

    /// Writes a temporary file beside this one and hands it on; it is removed in the end, where it still has that name.
    private func place<Value>(_ ring: KeyRing, _ body: (_ temporary: String) throws -> Value) throws -> Value {
        let temporary = "\(self.path).\(UUID().uuidString).new"
        defer { unlink(temporary) }
        let text = Self.header + ring.keys.map { $0.reveal() + "\n" }.joined()
        let file = try FileDescriptor.open(
            temporary,
            .writeOnly,
            options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
            permissions: .ownerReadWrite
        )
        try file.closeAfter {
            // Whatever the umask.
            guard fchmod(file.rawValue, 0o600) == 0 else { throw Errno(rawValue: errno) }
            if let error = DescriptorOutput.write(text, to: file.rawValue) { throw Errno(rawValue: error) }
            try Self.synchronize(file)
        }
        let value = try body(temporary)
        try Self.synchronizeFolder(Self.folder(of: self.path))
        return value
    }

    private func makeFolder() throws {
        let folder = Self.folder(of: self.path)
        guard access(folder, F_OK) != 0 else { return }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func writing<Value>(_ body: () throws -> Value) throws(ConfigurationError.Problem) -> Value {
        do {
            return try body()
        } catch {
            throw self.problem(
                .secretUnwritable,
                "cannot be written (\(error)); free space on the disk, or correct the rights of its folder"
            )
        }
    }

    private func problem(_ code: ConfigurationError.Code, _ words: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(code, key: Self.key, "\(Self.key): \(self.path) \(words)")
    }

    static func folder(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func synchronizeFolder(_ path: String) throws {
        let folder = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .directory])
        try folder.closeAfter { try Self.synchronize(folder) }
    }

    private static func synchronize(_ file: FileDescriptor) throws {
        while fsync(file.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}

import Glibc
import IDCardPipeline

extension SandboxDirectory {
    /// The names that a sandbox gives to what lies in its folder; one that ends with a star begins so.
    static let names = [
        "sandbox.sqlite3", "sandbox.sqlite3-wal", "sandbox.sqlite3-shm", "sandbox.sqlite3-journal",
        "sandbox.sqlite3.restore-*", "opening.lock", "write.lock",
        "owners", "ballast", "erasures.jsonl", "breadcrumb*", "embedded-documents", "embedded-credentials*",
        "\(Self.upgradeBackupPrefix)*",
        "\(SpoolFile.namePrefix)*",
    ]

    /// Whether a name in the folder is one that the sandbox itself gives.
    static func isOurs(_ name: String) -> Bool {
        self.names.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
    }

    /// The folders and files that are ours and open to others, as paths within the folder; `.` is the folder itself.
    func openModes() throws -> [String] {
        let owners = try self.entries(of: self.owners).map { "owners/\($0)" }
        let paths = try self.entries(of: self.path).filter(Self.isOurs) + owners
        return (["."] + paths).filter { FileFacts("\(self.path)/\($0)")?.isOpenToOthers == true }
    }

    /// The names in a folder, sorted; none if there is no such folder.
    func entries(of path: String) throws -> [String] {
        guard let directory = FileCall.opendir(path) else {
            if errno == ENOENT { return [] }
            throw StoreError(
                .unavailable,
                "the folder \(path) cannot be listed: \(String(cString: strerror(errno))); check its owner and mode"
            )
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

extension SandboxDirectory {
    /// Takes from others what they may do with a file or folder of ours.
    ///
    /// - Parameter name: the path within the folder, as `openModes` returns it.
    func closeToOthers(_ name: String) throws {
        let path = "\(self.path)/\(name)"
        guard let facts = FileFacts(path), facts.isDirectory || facts.isRegular else { return }
        guard FileCall.chmod(path, facts.mode & 0o700) == 0 else {
            throw StoreError(
                .unavailable,
                "the mode of \(path) cannot be set: \(String(cString: strerror(errno))); its owner can"
            )
        }
    }
}

extension SandboxDirectory {
    /// Removes what restores that were killed have left behind; to be called with the opening lock held.
    func removeRestoring() throws {
        for name in try self.entries(of: self.path) where Self.isRestoring(name) {
            FileCall.unlink("\(self.path)/\(name)")
        }
    }
}

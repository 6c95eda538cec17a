import Glibc
import IDCardCore
import IDCardPipeline

/// The file that a backup is made in before it has its name; locked as long as somebody works on it, so that what a
/// killed backup left can be told from what another is just making.
struct BackupPart {
    let path: String
    /// `nil` where the file system has no locks.
    private let lock: FileLock?

    /// Makes an empty file under a name of its own.
    ///
    /// - Throws: `StoreError.unavailable` or `StoreError.diskFull` if it cannot be made.
    static func begin(in folder: String) throws -> BackupPart {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<Self.attempts {
            let path = "\(folder)/.backup-\(UUIDText.version4(using: &random)).part"
            try DurableFile.create(path)
            do {
                // SQLite has its own locks far behind the first byte.
                let lock = try FileLock.take(path: path, creating: false, byteCount: 1)
                // Before it was locked, another backup may have taken it for one that was left.
                if let lock, lock.isStill(at: path) { return BackupPart(path: path, lock: lock) }
            } catch let error as StoreError where error.code == .notFound {
                continue
            } catch {
                // Nobody else can lock it either, so nobody removes it.
                return BackupPart(path: path, lock: nil)
            }
        }
        throw StoreError(.unavailable, "files in the folder \(folder) vanish while they are made; try again")
    }

    /// So often in a row it does not happen by chance.
    private static let attempts = 10

    /// Removes the file, unless it has been given its name, and gives the lock back.
    func end() {
        Self.remove(self.path)
        self.lock?.release()
    }

    /// Removes what backups that were killed have left in a folder; what somebody works on stays, and so does what cannot
    /// be locked or removed.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - names: what is in it.
    static func removeLeft(in folder: String, among names: [String]) {
        for name in names where name.wholeMatch(of: /\.backup-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part/) != nil {
            let path = "\(folder)/\(name)"
            guard FileFacts(path)?.isRegular == true else { continue }
            // What cannot be locked may be somebody's.
            guard let lock = try? FileLock.take(path: path, creating: false) else { continue }
            Self.remove(path)
            lock.release()
        }
    }

    private static func remove(_ path: String) {
        for suffix in ["-journal", "-wal", "-shm", ""] { FileCall.unlink(path + suffix) }
    }
}

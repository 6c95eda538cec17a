import Glibc
import IDCardPipeline

/// An owner whose process is gone; as long as this value is kept, nobody else finds the same.
final class DeadOwner: Sendable {
    /// The identifier that stands beside its leases.
    let id: String
    private let path: String
    private let lock: FileLock?

    /// Returns the owner if it is dead: if its file is gone or its lock can be taken.
    ///
    /// - Throws: `StoreError.unavailable` if the file cannot be opened for another reason.
    init?(id: String, in directory: SandboxDirectory) throws {
        self.id = id
        self.path = directory.ownerFile(of: id)
        do {
            guard let lock = try FileLock.take(path: self.path, creating: false) else { return nil }
            self.lock = lock
        } catch let error as StoreError where error.code == .notFound {
            self.lock = nil
        }
    }

    /// Removes its file; to be called once no row names it.
    func bury() {
        guard let lock = self.lock else { return }
        unlink(self.path)
        lock.release()
    }
}

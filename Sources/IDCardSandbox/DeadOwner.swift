import Foundation
import Glibc
import IDCardPipeline

/// An owner whose process is gone; as long as this value is kept, nobody else finds the same.
final class DeadOwner: Sendable {
    /// The identifier that stands beside its leases.
    let id: String
    /// The fingerprints of what it had under preparation.
    let breadcrumbs: Set<Data>
    private let path: String
    private let lock: FileLock?

    /// Returns the owner if it is dead: if its file is gone or its lock can be taken.
    ///
    /// - Throws: `StoreError.unavailable` if the file cannot be opened for another reason.
    init?(id: String, in directory: SandboxDirectory) throws {
        self.id = id
        self.path = directory.ownerFile(of: id)
        var taken: FileLock?
        do {
            taken = try FileLock.take(path: self.path, creating: false)
            guard taken != nil else { return nil }
        } catch let error as StoreError where error.code == .notFound {
            // Another has buried it.
        }
        self.lock = taken
        self.breadcrumbs = try taken.map(Breadcrumbs.left) ?? []
    }

    /// Removes its file; to be called once no row names it.
    func bury() {
        guard let lock = self.lock else { return }
        FileCall.unlink(self.path)
        lock.release()
    }
}

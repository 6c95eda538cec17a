import FoundationEssentials
import Logging

/// Where a document stood among those of one upload.
package struct DocumentPlace: Hashable, Sendable {
    /// The upload's idempotency key.
    package let key: String
    /// Its place among the documents, from 1.
    package let position: Int

    /// Names a document.
    package init(key: String, position: Int) {
        self.key = key
        self.position = position
    }
}

extension EmbeddedBackend {
    /// Erases documents: their images go, their lines in the ledger keep neither a person's nor a case's data.
    ///
    /// No backend may be using the folder meanwhile. A folder that is not there holds nothing.
    ///
    /// - Returns: the documents that the backend knows, erased now or before.
    /// - Throws: ``EmbeddedError``: `folderInUse` or `folderUnusable`.
    package static func erase(
        _ places: [DocumentPlace],
        in folder: String
    ) throws(EmbeddedError) -> Set<DocumentPlace> {
        guard !places.isEmpty, BackendSchema.exists(in: folder) else { return [] }
        let logger = Logger(label: "embedded-backend") { _ in SwiftLogNoOpLogHandler() }
        let store = try BackendStore(Configuration(folder: folder), logger: logger, now: { Date() })
        defer { store.close() }
        do {
            return try store.erase(places)
        } catch {
            throw BackendSchema.failure("cannot lose a document", error)
        }
    }
}

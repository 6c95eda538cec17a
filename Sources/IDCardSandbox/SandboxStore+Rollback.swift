import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Opens the sandbox, and if a killed process has left a journal that only a writer may roll back, does that first.
    ///
    /// The sandbox has no such journal but while `restore` takes the write-ahead log away.
    static func rollingBack<Value>(
        _ directory: SandboxDirectory,
        options: SandboxOptions,
        _ open: () throws -> Value
    ) throws -> Value {
        do {
            return try open()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK {
            let turn = try WriteTurn(path: directory.writeLock, timeout: options.storage.busyTimeout)
            try turn.hold {
                // Any reading rolls back; nothing else is changed.
                let queue = try DatabaseQueue(path: directory.database)
                defer { try? queue.close() }  // What matters has happened by then.
                _ = try queue.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
            }
            return try open()
        }
    }
}

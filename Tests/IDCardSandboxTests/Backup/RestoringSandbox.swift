import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

@testable import IDCardSandbox

/// A whole sandbox with a backup beside it, to be restored in all ways.
struct RestoringSandbox {
    /// What may have happened to a backup.
    enum Ruin: String, CaseIterable, Sendable {
        case missing, empty, garbage, truncated, overwritten, foreign, newer, changedLog, liveDatabase

        /// What a restore says of it.
        var code: StoreError.Code {
            switch self {
            case .missing: .notFound
            case .newer: .unsupportedVersion
            default: .corrupt
            }
        }
    }

    static let origin = AccessOrigin(actor: "root:restore", purpose: "test")

    let sandbox = CheckedSandbox()
    /// Holds the backup and what else a test needs.
    let target = SandboxFolder()
    var backup: String { self.target.path + "/backup.sqlite3" }

    func fillAndBackUp() async throws {
        try await self.sandbox.fill()
        try await self.backUp()
    }

    func backUp() async throws {
        try FileManager.default.createDirectory(atPath: self.target.path, withIntermediateDirectories: true)
        let store = try self.sandbox.folder.open(readOnly: true)
        _ = try await store.backUp(to: self.backup, replacing: true)
        try await store.close()
    }

    func restore(
        into directory: String? = nil,
        endpoints: SandboxOptions.Endpoints = .embedded,
        replacing: Bool = false,
        resuming: Bool = false,
        erasures: [String] = [],
        vault: VaultAccess = .sample
    ) async throws -> RestoreReport {
        try await SandboxRestore(
            of: self.backup,
            into: directory ?? self.sandbox.folder.path,
            options: SandboxOptions(endpoints: endpoints, vault: vault, now: .second(50)),
            isReplacing: replacing,
            isResuming: resuming,
            erasures: erasures,
            origin: Self.origin
        ).run()
    }

    /// Does something to the backup.
    func ruin(as ruin: Ruin) throws {
        let url = URL(fileURLWithPath: self.backup)
        let bytes = try Data(contentsOf: url)
        switch ruin {
        case .missing: try FileManager.default.removeItem(at: url)
        case .empty: try Data().write(to: url)
        case .garbage: try Data(repeating: 7, count: 50_000).write(to: url)
        case .truncated: try bytes.prefix(bytes.count / 2).write(to: url)
        case .overwritten:
            var bytes = bytes
            for index in (16384 * 3)..<(16384 * 6) { bytes[index] = 0xEE }
            try bytes.write(to: url)
        case .foreign: try self.change("PRAGMA application_id = 7")
        case .newer: try self.change("PRAGMA user_version = 99")
        case .changedLog: try self.change("UPDATE access_log SET actor = 'x' WHERE number = 1")
        case .liveDatabase: try self.change("PRAGMA journal_mode = WAL")
        }
    }

    func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: self.backup)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}

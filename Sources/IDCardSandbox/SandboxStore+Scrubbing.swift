import Foundation
import GRDB
import GRDBSQLite
import Glibc
import IDCardPipeline

// Erased bytes leave pages that are free and frames of the write-ahead log behind. `secure_delete` zeroes what is
// deleted, but not what SQLite moved within a page before; so after an erasure the file is looked through, and written
// anew if something is left.
extension SandboxStore {
    /// What must be found nowhere any more.
    enum Traces: Sendable {
        /// These bytes.
        case of([Data])
        /// Something, nobody knows what.
        case unknown
    }

    /// Makes sure that the file and its write-ahead log hold nothing of what was erased.
    ///
    /// - Parameter ofAnySize: whether the file is written anew, if need be, also where it is large.
    /// - Returns: whether that is so; `false` if readers were in the way, the disk refused or the file is too large: to be
    ///   done later.
    func scrub(_ traces: Traces, ofAnySize: Bool = false) async -> Bool {
        do {
            guard try self.removeLeftCopies(), try await self.emptyLog() else { return false }
            switch traces {
            case .of(let bytes):
                guard try await self.holds(bytes) else { return true }
            case .unknown: break
            }
            guard try await self.rewrite(ofAnySize: ofAnySize) else { return false }
            return try await self.emptyLog()
        } catch {
            // The card is erased either way; the certificate says what is left to be done.
            return false
        }
    }

    /// Gives free pages back and empties the write-ahead log.
    private func emptyLog() async throws -> Bool {
        let writer = try self.writer
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(50 << attempt)) }
            try await self.giveFreePagesBack()
            // Briefly: whoever waits for readers to end keeps other writers out.
            if try await writer.emptyLog(waiting: .milliseconds(100)) { return true }
        }
        return false
    }

    /// Gives all free pages back, so many in a turn: others write between two, and the log does not grow by all of them.
    private func giveFreePagesBack() async throws {
        let writer = try self.writer
        var left = Int.max
        while true {
            let free = try await writer.withConnection { db in
                _ = try writer.turn.hold {
                    try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(\(Self.pagesOfOneTurn))")
                }
                writer.checkpoint(db)
                return try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            }
            // Whoever erases meanwhile frees new ones, and gives them back.
            guard free > 0, free < left else { return }
            left = free
        }
    }

    /// 4 MiB at 8 KiB a page.
    private static let pagesOfOneTurn = 500

    private static let attempts = 5

    /// Writes the file anew, if it is small enough for that.
    private func rewrite(ofAnySize: Bool) async throws -> Bool {
        let writer = try self.writer
        return try await writer.withConnection { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            guard ofAnySize || pages * pageSize <= self.disk.storage.largestRewrite else { return false }
            try writer.turn.hold { try db.execute(sql: "VACUUM") }
            return true
        }
    }

    /// Whether one of some bytes stands in the file itself, in use or not.
    private func holds(_ traces: [Data]) async throws -> Bool {
        let ends = traces.flatMap(Self.ends)
        guard !ends.isEmpty else { return false }
        return try await self.read { try Self.file(of: $0, holds: ends) }
    }

    /// The first and the last bytes of a trace: of what was partly overwritten one of them is left.
    private static func ends(of trace: Data) -> [Data] {
        guard trace.count >= 6 else { return [] }
        return [Data(trace.prefix(24)), Data(trace.suffix(24))]
    }

    /// Reads the file by the hands of SQLite: another descriptor, once closed, would take the locks of this process away.
    private static func file(of db: Database, holds patterns: [Data]) throws -> Bool {
        guard let connection = db.sqliteConnection else { return true }
        var file: UnsafeMutablePointer<sqlite3_file>?
        let found = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods, let read = methods.pointee.xRead,
            let measure = methods.pointee.xFileSize
        else { return true }
        var size: sqlite3_int64 = 0
        guard measure(file, &size) == SQLITE_OK else { return true }
        let overlap = 32
        var buffer = [UInt8](repeating: 0, count: (1 << 20) + overlap)
        var offset: sqlite3_int64 = 0
        while offset < size {
            let count = Int(min(sqlite3_int64(buffer.count), size - offset))
            guard buffer.withUnsafeMutableBytes({ read(file, $0.baseAddress, Int32(count), offset) }) == SQLITE_OK
            else { return true }
            if buffer.withUnsafeBytes({ Self.bytes($0.prefix(count), hold: patterns) }) { return true }
            offset += sqlite3_int64(1 << 20)
        }
        return false
    }

    private static func bytes(_ bytes: Slice<UnsafeRawBufferPointer>, hold patterns: [Data]) -> Bool {
        let region = UnsafeRawBufferPointer(rebasing: bytes)
        return patterns.contains { pattern in pattern.withUnsafeBytes { Self.region(region, holds: $0) } }
    }

    /// `memmem`, which Glibc hides behind `_GNU_SOURCE`.
    private static func region(_ region: UnsafeRawBufferPointer, holds pattern: UnsafeRawBufferPointer) -> Bool {
        guard let needle = pattern.baseAddress, let first = pattern.first else { return false }
        var rest = region
        while rest.count >= pattern.count, let start = rest.baseAddress {
            guard let hit = memchr(start, Int32(first), rest.count - pattern.count + 1) else { return false }
            if memcmp(hit, needle, pattern.count) == 0 { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(hit) - start + 1)...])
        }
        return false
    }
}

import Foundation
import GRDB
import GRDBSQLite
import IDCardCore
import IDCardPipeline

// The file is searched from its end to its beginning: pages that are given back are moved towards the beginning, so none
// gets past the search.
extension SandboxStore {
    /// How a part of a search ended.
    enum SearchEnding: Sendable {
        /// It could not begin: readers are in the way, or the disk refuses.
        case blocked
        /// The time is up.
        case underWay
        /// The whole file was searched: of these cards something is left, of all others that were sought nothing.
        case ended(found: [CardID])
    }

    /// Where a search stands.
    private struct Standing: Sendable {
        var number: Int64
        /// What lies before this offset is still to be searched.
        var position: Int64
        var search: TraceSearch
    }

    /// Searches on from where the last process stopped, or begins a search for all that is not looked for yet.
    func search(until deadline: ContinuousClock.Instant?) async -> SearchEnding {
        do {
            // What others have written meanwhile is searched in the file, not in the log.
            let isBegun = try await self.isSearchBegun()
            switch try await isBegun ? self.readyForSearch(until: deadline) : self.beginSearch(until: deadline) {
            case .ready: break
            case .blocked: return .blocked
            // Pages are freed all the time: a search that has begun goes on, however many there are.
            case .underWay: if !isBegun { return .underWay }
            }
            guard var standing = try await self.standing() else { return .blocked }
            while standing.position > 0 {
                // A piece at least, however little time there is.
                try await self.searchOn(&standing, until: deadline)
                if let deadline, ContinuousClock.now >= deadline, standing.position > 0 { return .underWay }
            }
            return try await self.endSearch(standing.number, until: deadline)
        } catch {
            // The cards are erased either way; their certificates say what is left to be done.
            return .blocked
        }
    }

    private func isSearchBegun() async throws -> Bool {
        try await self.read { db in
            try Row.fetchOne(db, sql: ErasureSQL.searchStanding)?["search_position"] as Int64? != nil
        }
    }

    private func standing() async throws -> Standing? {
        let marker = ErasedTrace.TraceMarker(self.vault)
        return try await self.read { db in
            guard let row = try Row.fetchOne(db, sql: ErasureSQL.searchStanding),
                let position = row["search_position"] as Int64?
            else { return nil }
            let sought = try Row.fetchAll(db, sql: ErasureSQL.sought).map { row in
                guard let traces = (row["traces"] as Data?).flatMap(ErasedTrace.decode) else {
                    throw Self.corrupt("erasure.traces")
                }
                return (card: CardID(rawValue: row["card"]), traces: traces)
            }
            return Standing(
                number: row["search_number"],
                position: position,
                search: TraceSearch(for: sought, marker: marker)
            )
        }
    }

    /// Begins a search for everything that was erased before the write-ahead log is emptied, if there is anything.
    private func beginSearch(until deadline: ContinuousClock.Instant?) async throws -> Readiness {
        let number = try await self.writer.write { db -> Int64? in
            guard try Bool.fetchOne(db, sql: ErasureSQL.needsSearch) == true else { return nil }
            try db.execute(sql: ErasureSQL.numberSearch)
            guard db.changesCount == 1 else { return nil }
            try db.execute(sql: ErasureSQL.seek)
            return try Int64.fetchOne(db, sql: ErasureSQL.searchStanding)
        }
        // There is nothing to look for, or another process has begun.
        guard let number else { return .ready }
        let readiness = try await self.readyForSearch(until: deadline)
        guard readiness == .ready else { return readiness }
        let isMine = try await self.writer.write { db in
            let size = try Self.file(of: db).map { try $0.size() } ?? 0
            try db.execute(sql: ErasureSQL.beginSearch, arguments: ["size": size, "number": number])
            return db.changesCount == 1
        }
        // Another process prepares one since, and may have had no time to begin it.
        if isMine { return .ready }
        return try await self.isSearchBegun() ? .ready : .underWay
    }

    /// Searches until a second or the time is over, and writes down how far it came.
    private func searchOn(_ standing: inout Standing, until deadline: ContinuousClock.Instant?) async throws {
        let (number, position, search) = (standing.number, standing.position, standing.search)
        let pause = ContinuousClock.now + .seconds(1)
        let end = min(deadline ?? pause, pause)
        // When all that was sought is gone by a rewritten file, nothing has to be read.
        var next = search.isEmpty ? 0 : position
        var found: Set<CardID> = []
        while next > 0 {
            let start = max(0, next - Self.pieceLength)
            // A read of its own for each: the write-ahead log is not held meanwhile.
            let (piece, length) = (start, next - start)
            found.formUnion(try await self.read { try Self.cards(of: search, in: $0, from: piece, length: length) })
            next = start
            if ContinuousClock.now >= end { break }
        }
        let (reached, cards) = (next, found)
        try await self.writer.write { db in
            for card in cards {
                try db.execute(sql: ErasureSQL.noteFound, arguments: ["card": card.rawValue, "number": number])
            }
            try db.execute(
                sql: ErasureSQL.moveSearch,
                arguments: ["next": reached, "number": number, "position": position]
            )
        }
        // Another process may have searched on, too, or have ended this search and begun another.
        standing.position =
            try await self.read { db in
                guard let row = try Row.fetchOne(db, sql: ErasureSQL.searchStanding), row["search_number"] == number
                else { return nil }
                return row["search_position"]
            } ?? 0
    }

    /// Concludes what was sought, once the whole file has been searched.
    func endSearch(_ number: Int64, until deadline: ContinuousClock.Instant?) async throws -> SearchEnding {
        // The log may hold what was moved during the search; nothing is certified while it does.
        switch try await self.readyForSearch(until: deadline) {
        case .ready: break
        case .blocked: return .blocked
        case .underWay: return .underWay
        }
        return try await self.writer.write { db in
            try db.execute(sql: ErasureSQL.endSearch, arguments: [number])
            // Another process has ended it.
            guard db.changesCount == 1 else { return .underWay }
            // In the same change: whoever is killed before the certificates are written does not search once more.
            try db.execute(sql: ErasureSQL.concludeSought)
            return .ended(found: try String.fetchAll(db, sql: ErasureSQL.found).map(CardID.init))
        }
    }

    private static let pieceLength: Int64 = 1 << 20

    /// The cards of which a piece of the file holds a trace, or the bytes that follow it the rest of one.
    private static func cards(
        of search: TraceSearch,
        in db: Database,
        from start: Int64,
        length: Int64
    ) throws -> Set<CardID> {
        guard let file = self.file(of: db) else { throw Self.unreadable }
        let count = min(length + Int64(ErasedTrace.lengths.upperBound), try file.size() - start)
        // Given back since.
        guard count > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: Int(count))
        try buffer.withUnsafeMutableBytes { try file.read($0, at: start) }
        return buffer.withUnsafeBytes(search.cards)
    }

    private static let unreadable = StoreError(.unavailable, "the file of the sandbox cannot be read")

    /// The file by the hands of SQLite: another descriptor, once closed, would take the locks of this process away.
    private struct DatabaseFile {
        let file: UnsafeMutablePointer<sqlite3_file>
        let methods: UnsafePointer<sqlite3_io_methods>

        func size() throws -> Int64 {
            var size: sqlite3_int64 = 0
            guard let measure = self.methods.pointee.xFileSize, measure(self.file, &size) == SQLITE_OK else {
                throw SandboxStore.unreadable
            }
            return size
        }

        func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
            guard let read = self.methods.pointee.xRead,
                read(self.file, buffer.baseAddress, Int32(buffer.count), offset) == SQLITE_OK
            else { throw SandboxStore.unreadable }
        }
    }

    private static func file(of db: Database) -> DatabaseFile? {
        guard let connection = db.sqliteConnection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        let found = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard found == SQLITE_OK, let file, let methods = file.pointee.pMethods else { return nil }
        return DatabaseFile(file: file, methods: methods)
    }
}

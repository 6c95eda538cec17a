import Foundation
import GRDB
import IDCardCore
package import IDCardPipeline

// Erased bytes leave pages that are free and frames of the write-ahead log behind. `secure_delete` zeroes what is
// deleted, but not what SQLite moved within a page before; so after erasures the file is searched once, piece by piece, by
// whichever process has time for it, and rewritten if something is left.
extension SandboxStore {
    package func continueErasures(within time: Duration?) async throws -> ErasureProgress {
        try await self.continueErasures(within: time, ofAnySize: false)
    }

    /// Goes on with erasures that are not finished.
    ///
    /// - Parameters:
    ///   - time: how long to search a file that is not searched at once anyhow; `nil` for to the end.
    ///   - ofAnySize: whether a large file is rewritten, too, which takes its size in memory and on the disk.
    @discardableResult
    func continueErasures(within time: Duration?, ofAnySize: Bool) async throws -> ErasureProgress {
        let open = try await self.openErasures()
        guard !open.isEmpty else { return .finished }
        let isGoingOn = try await self.scrub(open, within: time, ofAnySize: ofAnySize)
        try await self.finish(
            try await self.read { db in
                try String.fetchAll(db, sql: ErasureSQL.uncertified).map(CardID.init)
            }
        )
        return ErasureProgress(open: try await self.openErasures().count, isGoingOn: isGoingOn)
    }

    /// Looks for what erased cards have left, and removes it where that is possible.
    ///
    /// - Returns: whether there is more to read.
    private func scrub(_ open: [CardID], within time: Duration?, ofAnySize: Bool) async throws -> Bool {
        let isLeft = try await self.read { try Bool.fetchOne($0, sql: ErasureSQL.needsRewrite) ?? true }
        // Bytes were found, or nobody knows what they were: only a file that is rewritten is sure to hold none of them.
        if isLeft, await self.rewrite(ofAnySize: ofAnySize) {
            try await self.finish(open, isScrubbed: true)
            return false
        }
        let deadline = try await self.isQuicklySearched() ? nil : time.map { ContinuousClock.now + $0 }
        switch await self.search(until: deadline) {
        case .blocked: return false
        case .underWay: return true
        case .ended(let found):
            if !found.isEmpty, await self.rewrite(ofAnySize: ofAnySize) {
                try await self.finish(found, isScrubbed: true)
            }
            // Erased since the search began.
            return try await self.read { try Bool.fetchOne($0, sql: ErasureSQL.needsSearch) ?? false }
        }
    }

    private func openErasures() async throws -> [CardID] {
        try await self.read { try String.fetchAll($0, sql: ErasureSQL.unfinished).map(CardID.init) }
    }

    /// Whether the file is so small that a search does not keep anybody waiting.
    func isQuicklySearched() async throws -> Bool {
        try await self.read { try Self.fileSize($0) } <= self.disk.storage.largestQuickSearch
    }

    private static func fileSize(_ db: Database) throws -> Int {
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        return try (Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0) * pages
    }

    /// Whether the file holds all that was erased before, and nothing else does.
    enum Readiness: Sendable {
        case ready
        /// Readers are in the way, or there is a copy that cannot be removed.
        case blocked
        /// The time is up, and there is more to give back.
        case underWay
    }

    /// Makes sure that what was erased before is in no frame of the write-ahead log, and in no copy.
    func readyForSearch(until deadline: ContinuousClock.Instant?) async throws -> Readiness {
        guard try self.removeLeftCopies() else { return .blocked }
        return try await self.emptyLog(until: deadline)
    }

    /// Gives free pages back and empties the write-ahead log.
    private func emptyLog(until deadline: ContinuousClock.Instant? = nil) async throws -> Readiness {
        let writer = try self.writer
        for attempt in 0..<Self.attempts {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(50 << attempt)) }
            guard try await self.giveFreePagesBack(until: deadline) else { return .underWay }
            // Briefly: whoever waits for readers to end keeps other writers out.
            if try await writer.emptyLog(waiting: .milliseconds(100)) { return .ready }
        }
        return .blocked
    }

    /// Gives free pages back, so many in a turn: others write between two, and the log does not grow by all of them.
    ///
    /// - Returns: whether all are given back; `false` if the time was up before, after one turn at least.
    private func giveFreePagesBack(until deadline: ContinuousClock.Instant?) async throws -> Bool {
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
            guard free > 0, free < left else { return true }
            if let deadline, ContinuousClock.now >= deadline { return false }
            left = free
        }
    }

    /// 4 MiB at 8 KiB a page.
    private static let pagesOfOneTurn = 500

    private static let attempts = 5

    /// Rewrites the file, if it is small enough for that, and leaves nothing of what it was.
    ///
    /// - Returns: whether that is done; `false` if readers were in the way, the disk refused or the file is too large.
    private func rewrite(ofAnySize: Bool) async -> Bool {
        do {
            let writer = try self.writer
            guard try self.removeLeftCopies() else { return false }
            let isRewritten = try await writer.withConnection { db in
                guard try ofAnySize || Self.fileSize(db) <= self.disk.storage.largestRewrite else { return false }
                try writer.turn.hold { try db.execute(sql: "VACUUM") }
                return true
            }
            guard isRewritten else { return false }
            return try await self.emptyLog() == .ready
        } catch {
            // The card is erased either way; the certificate says what is left to be done.
            return false
        }
    }
}

import Foundation
import GRDB
import IDCardPipeline

/// What a restore takes over of the sandbox that it replaces.
struct PreviousSandbox: Sendable {
    /// What was erased there.
    var tombstones: [Tombstone] = []
    /// The fingerprints of the numbers of which a front was erased undelivered there, and since when.
    var erasedFronts: [Data: Int64] = [:]
    /// The next place in its order of intake.
    var nextIntakeOrder: Int64 = 1
    /// Its fingerprint of a constant; equal where paths have the same fingerprints in both.
    var mark: Mark?
    /// Whether it has an access log with lines in it.
    var hasAccessLog = false
    /// Whether the keys given do not open it.
    var lacksKey = false

    /// Tells two fingerprint keys apart.
    typealias Mark = [UInt8]
}

extension Vault {
    /// A fingerprint that is the same in all copies of one sandbox.
    var mark: PreviousSandbox.Mark { Array(self.fingerprint(.init("idcard-pipeline".utf8), purpose: "mark")) }
}

extension SandboxRestore {
    /// Reads what is there now.
    ///
    /// - Throws: `StoreError.conflict` if it holds cards, or cannot be read, and may not be replaced, `wrongKey` if
    ///   moreover the keys do not open it.
    func readPrevious(into report: inout RestoreReport) throws -> PreviousSandbox {
        guard let facts = FileFacts(self.directory.database), facts.size > 0 else { return PreviousSandbox() }
        do {
            let (previous, cards) = try SandboxStore.rollingBack(self.directory, options: self.options) {
                try self.readDatabase()
            }
            guard cards == 0 || self.isReplacing else {
                if previous.lacksKey { throw self.lackingKeyOfPrevious() }
                throw StoreError(
                    .conflict,
                    "the sandbox \(self.directory.path) holds \(cards) cards; replace it with --force, or name another"
                )
            }
            report.replacedCardCount = cards
            report.lacksKeyOfReplaced = previous.lacksKey && cards > 0
            return previous
        } catch let error as StoreError where error.code == .conflict || error.code == .wrongKey {
            throw error
        } catch {
            guard self.isReplacing else {
                throw StoreError(
                    .conflict,
                    "the sandbox \(self.directory.path) cannot be read; replace it with --force, or name another",
                    cause: error
                )
            }
            report.couldNotReadReplaced = true
            return PreviousSandbox()
        }
    }

    private func lackingKeyOfPrevious() -> StoreError {
        StoreError(
            .wrongKey,
            "the keys given do not open the sandbox \(self.directory.path) that is to be replaced, so that whoever was "
                + "erased there could come back; give both keys, that of the backup after the present one, or replace it "
                + "all the same with --force"
        )
    }

    private func readDatabase() throws -> (PreviousSandbox, Int) {
        let path = self.directory.database
        let queue = try DatabaseQueue(path: path, configuration: SandboxCopy.configuration(isReadOnly: true))
        defer { try? queue.close() }  // It was only read from.
        return try queue.read { db in
            // A crash while it was made; nothing is in it.
            guard try SandboxSchema.check(db) > 0 else { return (PreviousSandbox(), 0) }
            var previous = PreviousSandbox()
            previous.tombstones = try Tombstone.all(in: db)
            previous.nextIntakeOrder =
                try Int64.fetchOne(db, sql: "SELECT next_intake_order FROM sandbox") ?? previous.nextIntakeOrder
            if try db.tableExists("erased_front") {
                let rows = try Row.fetchAll(db, sql: "SELECT number_fingerprint, since FROM erased_front")
                for row in rows { previous.erasedFronts[row["number_fingerprint"]] = row["since"] }
            }
            if try db.tableExists("access_log") {
                previous.hasAccessLog = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM access_log)") ?? false
            }
            do {
                previous.mark = try SandboxStore.identify(db, directory: self.directory, options: self.options).1.mark
            } catch let error as StoreError {
                // Its tombstones count, its fingerprints do not.
                previous.lacksKey = error.code == .wrongKey
            }
            return (previous, try Int.fetchOne(db, sql: "SELECT count(*) FROM card") ?? 0)
        }
    }
}

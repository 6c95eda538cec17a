import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What a clock that was wrong leaves in a sandbox does no harm once it is right.
struct ClockTests {
    private let folder = SandboxFolder()
    private static let year = Timestamp.second(365 * 86_400)

    private func open(at now: Timestamp) throws -> SandboxStore {
        try SandboxStore.open(
            directory: self.folder.path,
            options: SandboxOptions(
                endpoints: .embedded,
                vault: self.folder.vault,
                storage: SandboxFolder.storage,
                now: now
            )
        )
    }

    private func number(_ sql: String) throws -> Int64? { try self.folder.raw { try Int64.fetchOne($0, sql: sql) } }

    private func putOff(until time: Timestamp) throws {
        try self.folder.raw { db in
            try db.execute(sql: "UPDATE card SET due_at = ?", arguments: [time.millisecondsSinceEpoch])
        }
    }

    @Test("what is due in a year is due at once when the sandbox is opened by the right clock")
    func due() async throws {
        let ahead = try self.open(at: Self.year)
        _ = try await ahead.admit(.sample(1), now: Self.year)
        try await ahead.close()
        try self.putOff(until: Self.year.advanced(by: .milliseconds(500)))
        let store = try self.open(at: .second(9))
        #expect(try await store.nextDue(for: .verify) == .second(9))
        #expect(try await store.claimPrepared(limit: 9, until: .second(99), now: .second(10)).count == 1)
    }

    @Test("a verified card that the backend put off until a time in a year goes on by the right clock, or by a person")
    func verified() async throws {
        let sandbox = CheckedSandbox()
        try await sandbox.fill()
        let card = CardID(rawValue: CheckedSandbox.verified)
        let later = Timestamp.second(21_600)
        let putOff = { (time: Timestamp) in
            try sandbox.damage(by: ["UPDATE card SET due_at = \(time.millisecondsSinceEpoch) WHERE id = '\(card)'"])
        }
        try putOff(Timestamp(Date()).advanced(by: .seconds(365 * 86_400)))
        #expect(try await sandbox.check().words.contains("due_impossible \(card)"))
        try await sandbox.repair(try await sandbox.check().findings)
        #expect(try await !sandbox.check().words.contains("due_impossible \(card)"))
        try putOff(Self.year)
        var store = try sandbox.folder.open()
        try await store.see(.second(9), believing: false)
        #expect(try await store.card(card)?.nextAttemptAt == nil)
        try await store.close()
        try putOff(later)
        store = try sandbox.folder.open()
        let origin = AccessOrigin(actor: "root:cards retry", purpose: "ticket 7")
        let retried = try await store.retry(card, by: origin, now: .second(10))
        #expect(retried.state == .verified && retried.nextAttemptAt == nil)
        try await store.close()
    }

    @Test("what ended while the clock was behind is not taken for old once it is right")
    func endedBehind() async throws {
        let ten = Duration.seconds(10)
        let right = try self.open(at: Self.year)
        try await right.see(Self.year, believing: false)
        // A machine without a battery starts in the year of its image.
        try await right.see(.second(9), believing: false)
        var refused = try Admission.sample(1)
        refused.content = .refused(.sourceTooLarge, message: "too large")
        _ = try await right.admit(refused, now: .second(20))
        try await right.see(.second(100), believing: false)
        var retention = Retention()
        retention.limit(.rejected, to: .seconds(30 * 86_400))
        try await right.see(Self.year.advanced(by: ten), believing: false)
        let believed = Self.year.advanced(by: .seconds(21 * 3600))
        let seen = try await right.see(believed, believing: false)
        #expect(seen.last == believed)
        #expect(try await right.expired(under: retention, limit: 9, now: seen.last).isEmpty)
        let later = believed.advanced(by: .seconds(31 * 86_400))
        #expect(try await right.expired(under: retention, limit: 9, now: later).count == 1, "it is erased in its time")
        try await right.close()
    }

    @Test("a clock that was ahead by less than any wait is seen to have gone back, too")
    func aLittleAhead() async throws {
        let hour = Timestamp.second(3600)
        let ahead = try self.open(at: hour)
        _ = try await ahead.admit(.sample(1), now: hour)
        try await ahead.close()
        try self.putOff(until: hour.advanced(by: .milliseconds(500)))
        _ = try self.open(at: .second(9))
        #expect(try self.number("SELECT due_at FROM card") == 0)
    }

    @Test("a wait of a right clock stays as it is")
    func rightClock() async throws {
        let store = try self.open(at: .second(9))
        _ = try await store.admit(.sample(1), now: .second(9))
        try await store.close()
        let later = Timestamp.second(21_600)
        try self.putOff(until: later)
        _ = try self.open(at: .second(10))
        #expect(try self.number("SELECT due_at FROM card") == later.millisecondsSinceEpoch)
    }

    @Test("a lease that a clock a year ahead gave to a process that stands still ends within a day")
    func lease() async throws {
        let ahead = try self.open(at: Self.year)
        _ = try await ahead.admit(.sample(1), now: Self.year)
        _ = try await ahead.claimPrepared(limit: 1, until: Self.year.advanced(by: .seconds(180)), now: Self.year)
        let store = try self.open(at: .second(9))
        #expect(try await store.reclaimLeases(now: .second(10)) == 0, "its owner lives")
        #expect(try await store.reclaimLeases(now: .second(9 + 86_400)) == 1)
        try await ahead.close()
    }

    @Test("seeing the same time again costs no commit, and a minute later one")
    func commits() async throws {
        let store = try self.open(at: .second(9))
        let before = try store.writer.statistics.commits
        for second in 9..<69 { try await store.see(.second(Int64(second)), believing: false) }
        #expect(try store.writer.statistics.commits == before)
        try await store.see(.second(99), believing: false)
        #expect(try store.writer.statistics.commits == before + 1)
    }

    @Test("what is in doubt is kept for the next process")
    func kept() async throws {
        let day = { (number: Double) in Timestamp.second(Int64(number * 86_400)) }
        try await self.open(at: day(1)).close()
        try await self.open(at: day(60)).close()
        let store = try self.open(at: day(61))
        #expect(try await store.see(day(61), believing: false) == SeenTime(last: day(61)))
    }

    @Test("a sandbox of an older version has seen the last time at which anything was done in it")
    func migrated() async throws {
        let store = try self.open(at: .second(9))
        _ = try await store.admit(.sample(1), now: .second(500))
        try await store.close()
        try self.folder.raw { db in
            try db.execute(sql: "UPDATE sandbox SET last_seen_at = 0")
            try db.execute(sql: SandboxSchema.clock.last ?? "")
        }
        #expect(try self.number("SELECT last_seen_at FROM sandbox") == Timestamp.second(500).millisecondsSinceEpoch)
    }

    @Test("a card that waits for its next attempt goes at once when a person retries it, and keeps its attempts")
    func retry() async throws {
        let store = try self.open(at: .second(9))
        _ = try await store.admit(.sample(1), now: .second(9))
        try self.putOff(until: .second(21_600))
        try self.folder.raw { try $0.execute(sql: "UPDATE card SET attempts = 2") }
        let card = CardID(rawValue: "card-1")
        let origin = AccessOrigin(actor: "root:cards retry", purpose: "ticket 7")
        let retried = try await store.retry(card, by: origin, now: .second(10))
        #expect(retried.state == .prepared)
        #expect(retried.attempts == 2)
        #expect(retried.nextAttemptAt == nil)
        let error = await #expect(throws: StoreError.self) {
            try await store.retry(card, by: origin, now: .second(11))
        }
        #expect(error?.code == .conflict)
    }

    @Test("the check names a time that lies ahead, and a repair corrects what was put off by it")
    func check() async throws {
        let sandbox = CheckedSandbox()
        try await sandbox.fill()
        try sandbox.damage(by: [
            "UPDATE sandbox SET last_seen_at = 99999999999999",
            "UPDATE card SET due_at = 99999999999999 WHERE id = 'card-4'",
        ])
        let report = try await sandbox.check()
        #expect(report.words == ["clock_behind -", "due_impossible card-4"])
        #expect(report.isClean)
        try await sandbox.repair(report.findings)
        let left = try await sandbox.check().findings.map(\.code)
        #expect(!left.contains(.clockBehind) && !left.contains(.dueImpossible))
    }
}

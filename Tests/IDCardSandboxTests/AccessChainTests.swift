import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// The access log gives away whoever touches it.
struct AccessChainTests {
    let folder = SandboxFolder()

    /// Writes so many lines and leaves the sandbox closed.
    private func write(_ count: Int, in folder: SandboxFolder? = nil) async throws {
        let store = try (folder ?? self.folder).open()
        _ = try await store.admit(.sample(1), now: .second(1))
        for number in 1...count {
            let origin = AccessOrigin(actor: "root:cards show", purpose: "ticket \(number)")
            try await store.record(.show, of: CardID(rawValue: "card-1"), by: origin, now: .second(Int64(number)))
        }
        try await store.close()
    }

    private func report(in folder: SandboxFolder? = nil) async throws -> AccessChain.Report {
        let store = try (folder ?? self.folder).open(nil, readOnly: true)
        return try await store.read { try store.chain.verify(in: $0) }
    }

    @Test("an untouched log is whole, and its head is its last line")
    func whole() async throws {
        try await self.write(3)
        let report = try await self.report()
        #expect(report.findings == [])
        #expect(report.lineCount == 3)
        #expect(report.head.number == 3)
        #expect(report.head.code.count == 32)
    }

    @Test("an empty log is whole")
    func empty() async throws {
        try await self.folder.open().close()
        let report = try await self.report()
        #expect(report == AccessChain.Report(findings: [], lineCount: 0, head: .none))
    }

    @Test(
        "a log that was touched says where",
        arguments: [
            ("UPDATE access_log SET actor = 'x:cards show' WHERE number = 2", [.broken(number: 2)]),
            ("UPDATE access_log SET purpose = 'x' WHERE number = 2", [.broken(number: 2)]),
            ("UPDATE access_log SET action = 'export' WHERE number = 2", [.broken(number: 2)]),
            ("UPDATE access_log SET card = NULL WHERE number = 2", [.broken(number: 2)]),
            ("UPDATE access_log SET at = at + 1 WHERE number = 2", [.broken(number: 2)]),
            ("UPDATE access_log SET mac = zeroblob(32) WHERE number = 2", [.broken(number: 2), .broken(number: 3)]),
            ("DELETE FROM access_log WHERE number = 2", [.gap(before: 3), .broken(number: 3)]),
            ("DELETE FROM access_log WHERE number = 1", [.gap(before: 2), .broken(number: 2)]),
            ("DELETE FROM access_log WHERE number = 4", [.endMissing(after: 3)]),
            ("DELETE FROM access_log", [.endMissing(after: 0)]),
            ("DELETE FROM access_log; UPDATE sandbox SET access_head = NULL", [.endMissing(after: 0)]),
            (
                """
                UPDATE access_log SET
                    purpose = CASE number WHEN 2 THEN 'ticket 3' ELSE 'ticket 2' END WHERE number IN (2, 3)
                """,
                [.broken(number: 2), .broken(number: 3)]
            ),
            (
                """
                UPDATE access_log SET number = -2 WHERE number = 2;
                UPDATE access_log SET number = 2 WHERE number = 3;
                UPDATE access_log SET number = 3 WHERE number = -2
                """,
                [.broken(number: 2), .broken(number: 3), .broken(number: 4)]
            ),
            (
                "DELETE FROM access_log WHERE number = 2; UPDATE access_log SET number = number - 1 WHERE number > 2",
                [.broken(number: 2), .broken(number: 3), .endMissing(after: 3)]
            ),
            (
                """
                INSERT INTO access_log SELECT 5, at, actor, action, purpose, card, mac FROM access_log WHERE number = 4
                """,
                [.broken(number: 5), .endMissing(after: 5)]
            ),
        ] as [(String, [AccessChain.Finding])]
    )
    func touched(sql: String, findings: [AccessChain.Finding]) async throws {
        try await self.write(4)
        try self.folder.raw { try $0.execute(sql: sql) }
        #expect(try await self.report().findings == findings)
    }

    @Test("a log under another key is broken from its first line")
    func otherKey() async throws {
        // Encrypted, another key in its place would not open.
        let folder = SandboxFolder(vault: .unencrypted)
        try await self.write(2, in: folder)
        try folder.raw { db in
            try db.execute(sql: "UPDATE vault_key SET bytes = randomblob(32) WHERE purpose = 'chain'")
        }
        #expect(
            try await self.report(in: folder).findings
                == [.broken(number: 1), .broken(number: 2), .endMissing(after: 2)]
        )
    }

    @Test("a walk stops collecting after so many findings")
    func bounded() async throws {
        try await self.write(AccessChain.maximumFindings + 5)
        try self.folder.raw { try $0.execute(sql: "UPDATE access_log SET purpose = ''") }
        let report = try await self.report()
        #expect(report.findings.count == AccessChain.maximumFindings)
        #expect(report.lineCount == AccessChain.maximumFindings + 5)
    }

    @Test("no two lines share an encoding: what moves from one value to the next is seen")
    func encoding() {
        let line = AccessRow(number: 1, at: 2, actor: "ab", action: "c", purpose: "d", card: nil)
        var moved = line
        (moved.actor, moved.action) = ("a", "bc")
        var nobody = line
        nobody.card = ""
        #expect(Set([line, moved, nobody].map(\.encoded)).count == 3)
    }

    @Test("a line that cannot be written stops what it tells")
    func refusedWithIt() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let delivery = try await store.beginSampleDelivery()
        try self.folder.raw { db in
            try db.execute(
                sql: "CREATE TRIGGER refuse BEFORE INSERT ON access_log BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.beginAttempt(of: delivery.id, after: 1, now: .second(9))
        }
        #expect(error?.code == .corrupt)
        let events = try await store.details(of: delivery.members[0])?.events ?? []
        #expect(!events.contains { $0.code == SandboxStore.interrupted })
    }

    @Test("who and why are bounded and hold no control characters")
    func bounds() {
        let origin = AccessOrigin(actor: "a\u{7}b\n", purpose: String(repeating: "x", count: 500))
        #expect(origin.actor == "a b")
        #expect(origin.purpose.count == AccessOrigin.maximumLength)
        #expect(AccessOrigin(actor: "a", purpose: " \n ").purpose == AccessOrigin.notGiven)
    }
}

import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Certificates of erasures bear witness against a log that was cut off or written anew.
struct CertificateCheckTests {
    private static let finding = "erasure_unlogged \(CheckedSandbox.delivered)"

    let sandbox = CheckedSandbox()

    private func erase(_ card: String = CheckedSandbox.delivered, in folder: SandboxFolder? = nil) async throws {
        let store = try (folder ?? self.sandbox.folder).open()
        _ = try await store.erase(
            [CardID(rawValue: card)],
            reason: .requested,
            by: AccessOrigin(actor: "root:cards erase"),
            now: .second(30)
        )
        try await store.close()
    }

    /// The seal of the log as it is now: whoever has an old copy of the sandbox has an old seal.
    private func seal() throws -> Data {
        let seal = try self.sandbox.folder.raw { try Data.fetchOne($0, sql: AccessSQL.seal) }
        return try #require(seal)
    }

    /// Cuts the log off after a line and seals it as it was sealed then.
    private func cut(after number: Int, sealedBy seal: Data) throws {
        try self.sandbox.folder.raw { db in
            try db.execute(sql: "DELETE FROM access_log WHERE number > ?", arguments: [number])
            try db.execute(sql: AccessSQL.setSeal, arguments: [seal])
        }
    }

    private func lineCount() throws -> Int {
        try self.sandbox.folder.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM access_log") } ?? 0
    }

    @Test("an erasure whose line is in the log is no finding", arguments: [false, true])
    func whole(quick: Bool) async throws {
        try await self.sandbox.fill()
        try await self.erase()
        let words = try await self.sandbox.check(quick: quick).words
        #expect(words == [])
    }

    @Test("a log cut off before the erasure is found, although what is left of it is a whole chain under its own seal")
    func cutOff() async throws {
        try await self.sandbox.fill()
        let (seal, count) = (try self.seal(), try self.lineCount())
        #expect(count > 0)
        try await self.erase()
        try self.cut(after: count, sealedBy: seal)
        #expect(try await self.sandbox.check().words == [Self.finding])
        let report = try await self.sandbox.check(quick: true)
        #expect(report.words == [Self.finding])
        #expect(!report.isClean)
    }

    @Test("a log that was wiped, with the seal of a new sandbox, is found")
    func wiped() async throws {
        try await self.sandbox.folder.open().close()
        let seal = try self.seal()
        try await self.sandbox.fill()
        try await self.erase()
        try self.cut(after: 0, sealedBy: seal)
        #expect(try await self.sandbox.check().words == [Self.finding])
    }

    @Test("a log that went on from where it was cut off is found, whatever its lines are")
    func wentOn() async throws {
        try await self.sandbox.fill()
        let (seal, count) = (try self.seal(), try self.lineCount())
        try await self.erase()
        try self.cut(after: count, sealedBy: seal)
        // Takes the place of the line that is gone.
        try await self.erase(CheckedSandbox.verified)
        #expect(try self.lineCount() > count)
        #expect(try await self.sandbox.check().words == [Self.finding])
    }

    @Test(
        "a certificate that names another line, or is none, is found",
        arguments: [
            ("certificate = json_set(certificate, '$.access_number', 1)", "erasure_unlogged"),
            ("certificate = json_set(certificate, '$.access_mac', 'ff')", "erasure_unlogged"),
            ("certificate = json_set(certificate, '$.card_id', 'card-3')", "value_unreadable"),
            ("certificate = '{}'", "value_unreadable"),
            ("certificate = 'no JSON'", "value_unreadable"),
        ]
    )
    func changed(assignment: String, code: String) async throws {
        try await self.sandbox.fill()
        try await self.erase()
        try self.sandbox.damage(by: ["UPDATE erasure SET \(assignment)"])
        let report = try await self.sandbox.check()
        #expect(report.words == ["\(code) \(CheckedSandbox.delivered)"])
        #expect(report.findings.allSatisfy { $0.severity == .error && !$0.isRepairable })
    }

    @Test("a backup of a sandbox whose log was cut off can be made, and says that a rule is broken")
    func backedUp() async throws {
        let restoring = RestoringSandbox()
        try await restoring.sandbox.folder.open().close()
        let seal = try restoring.sandbox.folder.raw { try Data.fetchOne($0, sql: AccessSQL.seal) }
        try await restoring.sandbox.fill()
        try await self.erase(in: restoring.sandbox.folder)
        try restoring.sandbox.folder.raw { db in
            try db.execute(sql: "DELETE FROM access_log")
            try db.execute(sql: AccessSQL.setSeal, arguments: [seal])
        }
        try await restoring.backUp()
        #expect(try await restoring.restore(into: restoring.target.path + "/new").brokenRuleCount == 1)
    }
}

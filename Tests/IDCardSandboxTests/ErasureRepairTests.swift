import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What an erasure has left, a repair finishes, and the certificate says at every moment what is true.
struct ErasureRepairTests {
    private static let origin = AccessOrigin(actor: "root:cards erase", purpose: "ticket 7")
    private static let card = CardID(rawValue: CheckedSandbox.delivered)

    private let sandbox = CheckedSandbox()

    private func erase(in store: SandboxStore) async throws -> [ErasureCertificate] {
        try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
    }

    /// The word on scrubbing in the table, by column and by certificate, and in the last line of the journal.
    private func words() throws -> [Bool] {
        let sql = "SELECT is_scrubbed, certificate FROM erasure"
        let row = try #require(try self.sandbox.folder.raw { try Row.fetchOne($0, sql: sql) })
        let text: String = row["certificate"]
        let journal = try Data(contentsOf: URL(fileURLWithPath: self.sandbox.folder.path + "/erasures.jsonl"))
        let last = try #require(journal.split(separator: UInt8(ascii: "\n")).last)
        let certificates = try [Data(text.utf8), last].map {
            try JSONDecoder().decode(ErasureCertificate.self, from: $0)
        }
        return [row["is_scrubbed"]] + certificates.map(\.isScrubbed)
    }

    @Test("where nobody knows what was erased, a file too large to be written anew by the way is left to a repair")
    func large() async throws {
        try await self.sandbox.fill()
        var storage = SandboxFolder.storage
        storage.largestRewrite = 1
        let store = try self.sandbox.folder.open(storage: storage)
        let reader = try self.sandbox.folder.beginReading()
        #expect(try await self.erase(in: store).map(\.isScrubbed) == [false])
        try reader.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try reader.close()
        // As an older version left it, which did not write down what to look for.
        try self.sandbox.damage(by: ["UPDATE erasure SET traces = NULL"])
        #expect(try await store.finishErasures() == 1)
        #expect(try self.words() == [false, false, false])
        let findings = try await store.check().findings
        #expect(findings.map(\.code) == [.erasureUnfinished])
        try await store.repair(findings, now: .second(10))
        #expect(try self.words() == [true, true, true])
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.check().words == [])
        try await store.close()
    }

    @Test(
        "what was left of an erased card is repaired, and its certificate promises nothing until the file is searched"
    )
    func remnant() async throws {
        try await self.sandbox.fill()
        let store = try self.sandbox.folder.open()
        #expect(try await self.erase(in: store).map(\.isScrubbed) == [true])
        try self.sandbox.damage(by: ["UPDATE card SET message = x'0102' WHERE id = '\(Self.card)'"])
        let findings = try await store.check().findings
        #expect(findings.map(\.code) == [.erasedRemnant])
        // Somebody who reads keeps the search from being made.
        let reader = try self.sandbox.folder.beginReading()
        try await store.repair(findings, now: .second(10))
        #expect(try self.words() == [false, false, false])
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [false])
        try reader.inDatabase { try $0.execute(sql: "ROLLBACK") }
        try reader.close()
        let left = try await store.check().findings
        #expect(left.map(\.code) == [.erasureUnfinished])
        try await store.repair(left, now: .second(11))
        #expect(try self.words() == [true, true, true])
        #expect(try await store.check().words == [])
        try await store.close()
    }

    @Test("a column that says a file is still to be searched outdoes a certificate that says it was")
    func disagreeing() async throws {
        try await self.sandbox.fill()
        let store = try self.sandbox.folder.open()
        _ = try await self.erase(in: store)
        try self.sandbox.damage(by: ["UPDATE erasure SET is_scrubbed = 0"])
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [false])
        #expect(try await store.finishErasures() == 0)
        #expect(try self.words() == [true, true, true])
        try await store.close()
    }
}

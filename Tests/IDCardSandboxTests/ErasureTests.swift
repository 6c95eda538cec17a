import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What is erased is found in no file of the sandbox, and stays certified.
struct ErasureTests {
    private static let origin = AccessOrigin(actor: "root:cards erase", purpose: "ticket 7")
    private static let card = CardID(rawValue: "card-1")

    /// Brings card 1 to its delivery, with data of its own everywhere, and others beside it.
    private func fill(_ store: SandboxStore, businessNumber: String = "CASE-CANARY-7781") async throws {
        var admission = try Admission.sample(1, file: .sampleFile)
        admission.metadata.businessNumber = try #require(BusinessNumber(businessNumber))
        admission.metadata.expectedName = Redacted("样本金丝雀")
        admission.metadata.expectedIDNumber = Redacted("11010519491231002X")
        _ = try await store.admit(admission, now: .second(1))
        let delivery = try await store.beginSampleDelivery()
        _ = try await store.conclude(
            delivery.id,
            as: .delivered(code: "0000"),
            attempt: AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: .second(4)),
            number: 1,
            now: .second(5)
        )
        for number in 2...40 { _ = try await store.admit(.sample(number), now: .second(6)) }
    }

    /// Bytes of card 1 that must be found nowhere afterwards: its wrapped key, its number, what is sealed for it.
    private func traces(in folder: SandboxFolder) throws -> [Data] {
        try folder.raw { db in
            var traces = try Data.fetchAll(
                db,
                sql: "SELECT bytes FROM data_key WHERE owner IN ('card-1', 'delivery-1')"
            )
            traces += try Data.fetchAll(db, sql: "SELECT jpeg FROM image WHERE card = 'card-1'").map { $0.suffix(4000) }
            traces += try Data.fetchAll(db, sql: "SELECT content FROM reading WHERE card = 'card-1'")
            traces += try Data.fetchAll(db, sql: "SELECT expected_name FROM card WHERE id = 'card-1'")
            traces += try Data.fetchAll(db, sql: "SELECT holder_fingerprint FROM card WHERE id = 'card-1'")
            traces += try Data.fetchAll(db, sql: "SELECT content_fingerprint FROM card WHERE id = 'card-1'")
            return traces + [Data("CASE-CANARY-7781".utf8), Data("样本金丝雀".utf8)]
        }
    }

    @Test(
        "after erasing, no byte of the card is in any file of the sandbox",
        arguments: [VaultAccess.sample, .unencrypted]
    )
    func leavesNothing(vault: VaultAccess) async throws {
        let folder = SandboxFolder(vault: vault)
        let store = try folder.open()
        try await self.fill(store)
        let traces = try self.traces(in: folder)
        #expect(traces.count >= 7)
        #expect(try !FileGrep.files(in: folder.path, holding: traces).isEmpty)
        let certificate = try #require(
            try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9)).first
        )
        #expect(certificate.isScrubbed)
        #expect(certificate.backend == .holds)
        #expect(try FileGrep.files(in: folder.path, holding: traces) == [])
        try await store.close()
        #expect(try FileGrep.files(in: folder.path, holding: traces) == [])
        let later = try folder.open(nil, readOnly: true)
        #expect(try await later.stateCounts() == [.erased: 1, .prepared: 39])
    }

    @Test("what SQLite leaves within a page is found, and the file is written anew")
    func remnants() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        // As a cell leaves it behind that was moved: bytes of the card in a page of another table.
        try await store.writer.withConnection { db in
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            try db.execute(sql: "CREATE TABLE moved (id INTEGER PRIMARY KEY, text TEXT)")
            try db.execute(sql: "INSERT INTO moved (text) VALUES ('CASE-CANARY-7781')")
            try db.execute(sql: "DELETE FROM moved")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            _ = try db.checkpoint(.truncate)
        }
        let number = Data("CASE-CANARY-7781".utf8)
        let certificates = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        #expect(certificates.map(\.isScrubbed) == [true])
        #expect(try FileGrep.files(in: folder.path, holding: [number]) == [])
        #expect(try await store.stateCounts()[.prepared] == 39)
    }

    @Test("an erasure that a reader stands in the way of is finished later, and certified once more")
    func finishedLater() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        let reader = try folder.beginReading()
        let certificates = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        #expect(certificates.map(\.isScrubbed) == [false])
        #expect(try await store.card(Self.card)?.state == .erased)
        #expect(try await store.finishErasures() == 1)
        let again = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(10))
        #expect(again.map(\.isScrubbed) == [false], "nothing was looked for")
        try reader.inDatabase { try $0.execute(sql: "ROLLBACK") }
        let later = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(11))
        #expect(later.map(\.isScrubbed) == [false], "nothing was looked for, with nobody in the way")
        try reader.close()
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true])
        let lines = try self.certificates(in: folder)
        #expect(lines.map(\.isScrubbed) == [false, true])
        #expect(Set(lines.map(\.card)) == [Self.card])
    }

    private func certificates(in folder: SandboxFolder) throws -> [ErasureCertificate] {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/erasures.jsonl"))
        return try data.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(ErasureCertificate.self, from: $0)
        }
    }

    @Test("the certificate says what is known, is closed to others, and names the line of the access log")
    func certificate() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        let given = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        #expect(try self.certificates(in: folder) == given)
        #expect(try folder.mode(of: "erasures.jsonl") == 0o600)
        let certificate = try #require(given.first)
        #expect(certificate.sourceFileCount == 1)
        #expect(certificate.verifier == .notSent, "the sample was judged by a kept reading")
        #expect(certificate.deliveries == ["delivery-1"])
        #expect(certificate.actor == "root:cards erase")
        #expect(certificate.purpose == "ticket 7")
        let head = try await store.read { try store.chain.head(in: $0) }
        #expect(head.number == certificate.accessNumber)
        #expect(head.code.map { String(format: "%02x", $0) }.joined() == certificate.accessCode)
    }

    @Test("a held member of an erased card's delivery remembers that the backend may hold it")
    func heldSibling() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        for number in 1...2 { _ = try await store.admit(.sample(number), now: .second(1)) }
        _ = try await store.beginSampleDelivery()
        try await store.releaseLeases()
        try await store.writer.withConnection { db in
            let states = "state = 'held', reason = 'restored', delivery = 'delivery-1'"
            try db.execute(
                sql: """
                    INSERT INTO delivery_card (delivery, position, card) VALUES ('delivery-1', 1, 'card-2');
                    UPDATE card SET \(states);
                    UPDATE delivery SET state = 'held'
                    """
            )
        }
        _ = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        let sibling = try #require(try await store.card(CardID(rawValue: "card-2")))
        #expect(sibling.state == .held)
        #expect(sibling.reason == .outcomeUnknown)
        #expect(sibling.delivery == nil)
        let error = await #expect(throws: StoreError.self) {
            try await store.retry(sibling.id, by: Self.origin, now: .second(10))
        }
        #expect(error?.code == .conflict)
    }

    @Test("what a killed restore left of an erased card is gone when the sandbox is opened, and when it is erased")
    func leftCopies() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        let left = URL(fileURLWithPath: folder.database + ".restore-00000000-0000-4000-8000-000000000000")
        try Data("CASE-CANARY-7781".utf8).write(to: left)
        _ = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        #expect(!FileManager.default.fileExists(atPath: left.path))
        try await store.close()
        try Data("CASE-CANARY-7781".utf8).write(to: left)
        try await folder.open().close()
        #expect(!FileManager.default.fileExists(atPath: left.path))
    }

    @Test("half a line that a crash left does not swallow the next certificate")
    func halfLine() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        try Data("{\"card_id\":\"ca".utf8).write(to: URL(fileURLWithPath: folder.path + "/erasures.jsonl"))
        _ = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/erasures.jsonl"))
        let lines = data.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 2)
        #expect(throws: Never.self) { try JSONDecoder().decode(ErasureCertificate.self, from: lines[1]) }
    }

    @Test("a card whose data does not open any more can be erased")
    func damaged() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        try await store.writer.withConnection { db in
            try db.execute(sql: "UPDATE data_key SET bytes = randomblob(60) WHERE owner = 'card-1'")
            try db.execute(sql: "UPDATE image SET jpeg = x'00' WHERE card = 'card-1'")
        }
        _ = try await store.erase([Self.card], reason: .requested, by: Self.origin, now: .second(9))
        #expect(try await store.card(Self.card)?.state == .erased)
    }

    @Test("a delivery that has ended keeps neither what was sent nor its key")
    func endedDelivery() async throws {
        let folder = SandboxFolder()
        let store = try folder.open()
        try await self.fill(store)
        for sql in [
            "SELECT length(parts) + length(boundary) FROM delivery",
            "SELECT count(*) FROM data_key WHERE owner = 'delivery-1'",
        ] {
            #expect(try folder.raw { try Int.fetchOne($0, sql: sql) } == 0, "\(sql)")
        }
    }
}

extension FileIdentity {
    fileprivate static let sampleFile = FileIdentity(
        path: "/inbox/a.jpg",
        device: 1,
        inode: 2,
        size: 3,
        modifiedNanoseconds: 4
    )
}

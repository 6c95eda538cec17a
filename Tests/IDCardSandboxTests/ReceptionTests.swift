import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What a sandbox keeps of cards without an image.
struct ReceptionTests {
    let folder = SandboxFolder()
    private static let origin = AccessOrigin(actor: "root:test", purpose: "test")
    private static let received = CardID(rawValue: "received")
    private static let fetching = CardID(rawValue: "fetching")

    @Test("what was received outlives the process: cards, source bytes, pieces, receipts and runs")
    func restart() async throws {
        let bytes = Data.noise(1, 2_500_000)
        let dying = try self.folder.open()
        try await dying.receive(bytes, as: "received", receipt: .sample())
        try await dying.beginFetching(.noise(2, 5000), as: "fetching")
        let run = SourceRun(id: "run-1", source: "inbox", counts: ["admitted": 1], startedAt: .second(1))
        try await dying.keep(run)
        _ = try await dying.claimReceived(limit: 1, until: .second(99), now: .second(2))
        try dying.die()
        let store = try self.folder.open()
        #expect(try await store.reclaimLeases(now: .second(3)) == 1)
        let cards = try await store.claimReceived(limit: 9, until: .second(99), now: .second(3))
        #expect(cards.map(\.id) == [Self.received])
        var found = Data()
        while true {
            let piece = try await store.source(of: Self.received, at: found.count)
            guard !piece.isEmpty else { break }
            found += piece
        }
        #expect(found == bytes)
        let jobs = try await store.claimFetching(limit: 9, until: .second(99), now: .second(3))
        #expect(jobs.map(\.pieces) == [[0..<5000]])
        #expect(jobs.first?.address == ImageAddress("https://images.example/1"))
        #expect(jobs.first?.version == FetchedVersion(validator: "\"etag-canary\"", byteCount: 6000))
        guard case .repeated(let card)? = try await store.outcome(of: .sample()) else {
            Issue.record("the request is not known any more")
            return
        }
        #expect(card.id == Self.received)
        #expect(try await store.openRuns() == [run])
        #expect(try await store.check().words == [])
    }

    @Test("image, address, validator and the name of the request stand in no file; without encryption they would")
    func canaries() async throws {
        for (vault, isFound) in [(VaultAccess.sample, false), (.unencrypted, true)] {
            let folder = SandboxFolder(vault: vault)
            let store = try folder.open()
            try await store.receive(Data("image-canary".utf8), as: "received", receipt: .sample())
            try await store.beginFetching(Data("piece-canary".utf8), as: "fetching", url: "https://url-canary/")
            for canary in ["image-canary", "piece-canary", "url-canary", "etag-canary"] {
                let files = try FileGrep.files(in: folder.path, holding: [Data(canary.utf8)])
                #expect(files.isEmpty != isFound, "\(canary)")
            }
            #expect(try FileGrep.files(in: folder.path, holding: [Data("message-canary".utf8)]).isEmpty)
        }
    }

    @Test("pieces cannot change places, nor come from another card")
    func places() async throws {
        let store = try self.folder.open()
        try await store.receive(.noise(1, 2 << 20), as: "received")
        try await store.receive(.noise(2, 2 << 20), as: "other")
        try self.folder.raw { db in
            try db.execute(sql: "UPDATE source_piece SET start = 7 WHERE start = 0 AND card = 'received'")
            try db.execute(sql: "UPDATE source_piece SET start = 0 WHERE start = 1048576 AND card = 'received'")
            try db.execute(sql: "UPDATE source_piece SET start = 1048576 WHERE start = 7")
            try db.execute(
                sql: """
                    UPDATE source_piece SET bytes = (SELECT bytes FROM source_piece WHERE card = 'received' AND start = 0)
                    WHERE card = 'other' AND start = 0
                    """
            )
        }
        for card in ["received", "other"] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.source(of: CardID(rawValue: card), at: 0)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.concernsOneCard == true)
        }
    }

    @Test("an address that does not open ends its card, and the others go on")
    func damagedAddress() async throws {
        let store = try self.folder.open()
        try await store.beginFetching(.noise(1, 10), as: "fetching")
        try await store.beginFetching(.noise(1, 10), as: "sound")
        try self.folder.raw { try $0.execute(sql: "UPDATE fetch SET url = x'00' WHERE card = 'fetching'") }
        let jobs = try await store.claimFetching(limit: 9, until: .second(99), now: .second(3))
        #expect(jobs.map(\.card.id.rawValue) == ["sound"])
        let card = try await store.card(Self.fetching)
        #expect(card?.state == .failed)
        #expect(card?.reason == .imageUnreadable)
    }

    @Test(
        "an erased card leaves nothing of its source bytes and address in the file",
        arguments: ["received", "fetching"]
    )
    func erased(name: String) async throws {
        let folder = SandboxFolder(vault: .unencrypted)
        let store = try folder.open()
        let bytes = Data.noise(1, 1_300_000)
        if name == "received" {
            try await store.receive(bytes, as: name)
        } else {
            for start in [0, 1 << 20] {
                if start == 0 { try await store.beginFetching(Data(bytes.prefix(1000)), as: name) }
                _ = try await store.claimFetching(limit: 9, until: .second(99), now: .second(3))
                let version = FetchedVersion(validator: "\"etag-canary\"", byteCount: nil)
                let piece = Data(bytes[start...].prefix(1 << 20))
                try await store.keep(piece, at: start, of: CardID(rawValue: name), version: version)
            }
        }
        // Others, so that pages are moved about.
        for number in 2...9 { try await store.receive(.noise(number, 3000), as: "other-\(number)") }
        let needles = [0, 1000, 500_000, 1 << 20, bytes.count - 32].map { Data(bytes[$0...].prefix(32)) }
        #expect(try !FileGrep.files(in: folder.path, holding: needles).isEmpty)
        let certificates = try await store.erase(
            [CardID(rawValue: name)],
            reason: .requested,
            by: Self.origin,
            now: .second(9)
        )
        #expect(certificates.map(\.isScrubbed) == [true])
        let canaries = [Data("images.example".utf8), Data("etag-canary".utf8)]
        #expect(try FileGrep.files(in: folder.path, holding: needles + canaries) == [])
        #expect(try await store.check().words == [])
    }

    @Test("what is received is refused without room, known requests are answered")
    func withoutRoom() async throws {
        let first = try self.folder.open()
        try await first.receive(.noise(1, 1000), as: "received", receipt: .sample())
        try await first.close()
        var storage = SandboxFolder.storage
        storage.workFreeSpace = Int.max / 4
        let store = try self.folder.open(storage: storage)
        #expect(store.disk.giveUpBallast())
        let error = await #expect(throws: StoreError.self) { try await store.receive(.noise(2, 1000), as: "late") }
        #expect(error?.code == .diskFull)
        let again = try await store.receive(.noise(1, 1000), as: "again", receipt: .sample())
        guard case .repeated(let card) = again else {
            Issue.record("not known: \(again)")
            return
        }
        #expect(card.id == Self.received)
    }

    @Test("a sandbox of version 2 becomes one of this version, with all its cards")
    func version2() async throws {
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: self.folder.database)
        try await queue.write { db in
            try SandboxSchema.makeVersion1(endpoints: .embedded, mode: .encrypted, now: .second(0), in: db)
            try SandboxSchema.makeVersion2(vault: .sample, in: db)
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('2');
                    INSERT INTO card (
                        id, state, business_no, content_fingerprint, intake_order, priority, reason, created_at, changed_at
                    ) VALUES ('card-1', 'rejected', 'CASE-1', randomblob(32), 1, 0, 'x', 1, 1);
                    INSERT INTO event (card, at, kind, state) VALUES ('card-1', 1, 'admitted', 'rejected');
                    UPDATE sandbox SET next_intake_order = 2;
                    """
            )
        }
        try queue.close()
        let store = try self.folder.open()
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA user_version") } == SandboxSchema.version)
        try await store.receive(.noise(1, 10), as: "received")
        #expect(try await store.stateCounts() == [.rejected: 1, .received: 1])
        // The copy from before is the only thing to tell.
        #expect(try await store.check().words == ["upgrade_backup_left sandbox-version-2.backup"])
        try await store.close()
        _ = try self.folder.open()
    }
}

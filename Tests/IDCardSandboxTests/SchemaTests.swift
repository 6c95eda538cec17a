import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// The schema holds its rules against any program, not only ours.
struct SchemaTests {
    let folder = SandboxFolder()

    private func prepare() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        try await store.close()
    }

    @Test(
        "a change that breaks a rule is refused by the file itself",
        arguments: [
            "UPDATE card SET state = 'lost'",
            "UPDATE card SET state = NULL",
            "UPDATE card SET state = 'delivering'",
            "UPDATE card SET side = 'edge'",
            "UPDATE card SET lease_owner = 'nobody', lease_expires_at = 1",
            "UPDATE card SET lease_expires_at = 1",
            "UPDATE card SET attempts = -1",
            "UPDATE card SET intake_order = 'first'",
            "INSERT INTO event (card, at, kind) VALUES ('nobody', 1, 'x')",
            "INSERT INTO event (card, at, kind, state) VALUES ('card-1', 1, 'x', 'lost')",
            """
            INSERT INTO attempt (card, ordinal, started_at, ended_at, class, code)
            VALUES ('card-1', 1, 1, 1, 'odd', 'x')
            """,
            "INSERT INTO attempt (card, ordinal, started_at, ended_at) VALUES ('card-1', 1, 1, 1)",
            "INSERT INTO attempt (ordinal, started_at) VALUES (1, 1)",
            "INSERT INTO delivery_card (delivery, position, card) VALUES ('none', 0, 'card-1')",
            "UPDATE sandbox SET endpoints = 'other'",
            """
            INSERT INTO sandbox (id, endpoints, vault, next_intake_order, created_at)
            VALUES (2, 'embedded', 'none', 1, 1)
            """,
            "INSERT INTO call_failure (stage, card, failures, first_at, last_at) VALUES ('verify', 'nobody', 1, 1, 1)",
            "INSERT INTO endpoint (stage) VALUES ('rest')",
            "INSERT INTO stage_pause (stage, owner, code, message, since) VALUES ('rest', 'o', 'x', 'x', 1)",
        ]
    )
    func rules(sql: String) async throws {
        try await self.prepare()
        let error = #expect(throws: DatabaseError.self) { try self.folder.raw { try $0.execute(sql: sql) } }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test("the states of the file are the states of the program", arguments: CardState.allCases)
    func states(state: CardState) async throws {
        try await self.prepare()
        try self.folder.raw { db in
            try db.execute(
                sql: """
                    INSERT INTO delivery (id, boundary, parts, state, priority, created_at, changed_at)
                    VALUES ('d', 'b', x'', 'open', 0, 1, 1)
                    """
            )
            try db.execute(sql: "UPDATE card SET state = ?, delivery = 'd'", arguments: [state.rawValue])
        }
        let store = try self.folder.open()
        #expect(try await store.stateCounts() == [state: 1])
    }

    @Test("all tables are strict and every foreign key names a table that exists")
    func strictness() async throws {
        try await self.prepare()
        try self.folder.raw { db in
            let tables = try Row.fetchAll(db, sql: "PRAGMA table_list").filter {
                $0["type"] == "table" && !($0["name"] as String).hasPrefix("sqlite_") && $0["schema"] == "main"
            }
            let loose = tables.filter { $0["strict"] == 0 }.map { $0["name"] as String }
            #expect(loose == ["grdb_migrations"])
            #expect(tables.count == SandboxSchema.tables.count + 17)
            try db.checkForeignKeys()
        }
    }

    @Test("an erased card leaves room for a new one with the same bytes, but its file stays known")
    func tombstones() async throws {
        let store = try self.folder.open()
        let file = FileIdentity(path: "/inbox/a.jpg", device: 1, inode: 2, size: 3, modifiedNanoseconds: 4)
        let admission = try Admission.sample(1, file: file)
        _ = try await store.admit(admission, now: .second(1))
        try self.folder.raw { try $0.execute(sql: "UPDATE card SET state = 'erased'") }
        let number = admission.metadata.businessNumber
        #expect(try await store.card(ofFile: file, businessNumber: number)?.state == .erased)
        let digest = admission.sourceDigest
        #expect(
            try await store.recognise(digest, metadata: admission.metadata, file: nil, now: .second(2)) == nil
        )
        #expect(try await store.snapshot(of: number).cards == [])
        var again = admission
        again.id = CardID(rawValue: "card-2")
        again.file = nil
        guard case .admitted = try await store.admit(again, now: .second(3)) else {
            Issue.record("a new sending of an erased card's bytes counts as a duplicate")
            return
        }
        #expect(try await store.stateCounts() == [.erased: 1, .prepared: 1])
    }
}

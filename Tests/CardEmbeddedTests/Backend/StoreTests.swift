import Foundation
import GRDB
import ServiceLifecycle
import TestSupport
import Testing

@testable import CardEmbedded

@Suite(.timeLimit(.minutes(5))) struct StoreTests {
    private let folder = BackendFolder()

    @Test func `Keys, answers, documents, order and numbers outlive a restart`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").retcode == "200002")
        }
        try await withBackend(in: self.folder) { client async throws in
            let replay = try await client.upload(.single(), key: "\"1\"")
            #expect(replay.status == 200 && replay.retcode == "000000" && replay.isReplay)
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").isReplay)
            #expect(try await client.upload(.single(number: "B-9"), key: "\"1\"").status == 422)
            #expect(try await client.upload(.single(number: "B-9"), key: "\"2\"").status == 422)
            #expect(try await client.upload(.single(), key: "\"3\"").retcode == "000001")
            #expect(try await client.upload(.single(isFront: false), key: "\"4\"").retcode == "000000")
        }
        #expect(try self.folder.ledger().map(\.sequence) == [1, 2])
        #expect(try self.folder.refusals().map(\.retcode) == ["200002", "000001"])
        #expect(try self.folder.ledger().map(\.outOfOrder) == [false, false])
    }

    @Test(arguments: [
        ("journal_mode", "wal"), ("synchronous", "2"), ("secure_delete", "1"), ("locking_mode", "exclusive"),
        ("foreign_keys", "1"),
    ])
    func `The database syncs each commit and overwrites what is deleted`(setting: String, value: String) throws {
        let database = try BackendSchema.open(self.folder.url.path)
        try database.writeWithoutTransaction { db throws in
            #expect(try String.fetchOne(db, sql: "PRAGMA \(setting)") == value)
        }
        try database.close()
    }

    @Test(arguments: [BackendStore.insertion, LedgerLine.documents, LedgerLine.refusals])
    func `An upload reads no table from end to end`(sql: String) throws {
        let database = try BackendSchema.open(self.folder.url.path)
        let plan = try database.read { db throws in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
            statement.setUncheckedArguments([])
            return try Row.fetchAll(statement).map { $0["detail"] as String }
        }
        try database.close()
        #expect(plan.contains { $0.hasPrefix("SEARCH") })
        #expect(!plan.contains { $0.hasPrefix("SCAN document") || $0.hasPrefix("SCAN upload") }, "\(plan)")
    }

    @Test func `A key, and a document, twice is against the rules of the database`() async throws {
        try await withBackend(in: self.folder) { _ = try await $0.upload(.single(), key: "\"1\"") }
        let database = try DatabaseQueue(path: self.folder.database)
        for statement in [
            "INSERT INTO upload SELECT 9, idempotency_key, content_sha256, time, retcode, retmsg, items, 0 FROM upload",
            """
            INSERT INTO document SELECT 9, upload, 2, business_no, doctype, user_no, image_sha256, 2, out_of_order, image
            FROM document
            """,
        ] {
            let error = #expect(throws: DatabaseError.self) { try database.write { try $0.execute(sql: statement) } }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        }
    }

    @Test(arguments: ["ledger.jsonl", "refusals.jsonl", "documents/B-1/IDCARD_FRONT_APP-1.jpg"])
    func `What a kill left unwritten of the export is there after the next start`(file: String) async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"1\"")
            _ = try await client.upload(.single(number: ""), key: "\"2\"")
        }
        let url = self.folder.url.appending(path: file)
        let whole = try Data(contentsOf: url)
        for rest in [whole.dropLast(5), Data(), nil] {
            if let rest { try Data(rest).write(to: url) } else { try FileManager.default.removeItem(at: url) }
            try await withBackend(in: self.folder) { _ in }
            #expect(try Data(contentsOf: url) == whole)
        }
    }

    @Test func `An export that cannot be written is made up for by the next upload`() async throws {
        let log = LogLines()
        try await withBackend(in: self.folder, logger: log.logger) { client async throws in
            let obstacle = self.folder.url.appending(path: "documents/B-1")
            try Data().write(to: obstacle)
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try self.folder.ledger().isEmpty)
            #expect(log.text.contains("ledger not exported"))
            try FileManager.default.removeItem(at: obstacle)
            #expect(try await client.upload(.single(number: "B-2"), key: "\"2\"").retcode == "000000")
            #expect(try self.folder.ledger().map(\.businessNo) == ["B-1", "B-2"])
        }
        #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg", "B-2/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test func `A database that takes nothing is 500, and the same upload is taken later`() async throws {
        try await withBackend(in: self.folder) { _ in }
        let database = try DatabaseQueue(path: self.folder.database)
        try await database.write {
            try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON document BEGIN SELECT raise(ABORT, 'B-1'); END")
        }
        try database.close()
        let log = LogLines()
        try await withBackend(in: self.folder, logger: log.logger) { client async throws in
            let failed = try await client.upload(.single(), key: "\"1\"")
            #expect(failed.status == 500 && failed.code == "not_stored")
            #expect(!failed.text.contains("B-1") && !log.text.contains("B-1"))
        }
        let again = try DatabaseQueue(path: self.folder.database)
        try await again.write { try $0.execute(sql: "DROP TRIGGER full") }
        try again.close()
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(.single(), key: "\"1\"")
            #expect(answer.retcode == "000000" && !answer.isReplay)
        }
    }

    @Test func `A second backend on the folder is refused, and the folder is free once the first ended`() async throws {
        try await withBackend(in: self.folder) { _ in
            let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: self.folder) { _ in } }
            #expect(error?.code == .folderInUse)
        }
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.get("/healthz").status == 200)
        }
    }

    @Test func `a file in place of the folder, or a folder of others, is refused without its path`() async throws {
        let file = BackendFolder()
        try Data("a file".utf8).write(to: file.url)
        let foreign = BackendFolder()
        let photo = foreign.url.appending(path: "documents/mine/IDCARD_FRONT_APP-1.jpg")
        try FileManager.default.createDirectory(
            at: photo.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data().write(to: photo)
        for folder in [file, foreign] {
            let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: folder) { _ in } }
            #expect(error?.code == .folderUnusable)
            #expect(error.map { "\($0)".contains(folder.url.path) } == false)
        }
        #expect(FileManager.default.fileExists(atPath: photo.path))
    }

    @Test func `Each document counts once when many are sent at a time`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let codes = try await withThrowingTaskGroup(of: String?.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        try await client.upload(.single(number: "B-\(index % 20)"), key: "\"k\(index)\"").retcode
                    }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1 ?? "", default: 0] += 1 }
            }
            #expect(codes == ["000000": 20, "000001": 20])
        }
        #expect(try self.folder.ledger().map(\.sequence) == Array(1...20))
        #expect(try self.folder.documents().count == 20)
    }

    @Test func `A graceful end waits for the upload under way`() async throws {
        let (ports, announce) = AsyncStream.makeStream(of: Int.self)
        let backend = EmbeddedBackend(configuration: .init(folder: self.folder.url.path), logger: silent) {
            announce.yield($0)
        }
        let services = ServiceGroup(services: [backend], logger: silent)
        let form = HandWrittenForm.single()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let client = EndpointClient(port: try #require(await ports.first { _ in true }))
            let request = RawRequest.form(form, key: "\"k\"")
            try await client.connected { (connection) async throws in
                try await connection.send(request.head)
                try await client.waitForRunning(1)
                await services.triggerGracefulShutdown()
                try await connection.send(form.body)
                #expect(try await connection.response()?.retcode == "000000")
            }
            try await group.waitForAll()
        }
        #expect(try self.folder.ledger().count == 1)
    }

    @Test(arguments: 0..<20) func `Ending while clients connect never traps`(round: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await withBackend(in: self.folder) { client async throws in
                for _ in 0..<8 {
                    group.addTask {
                        // It ends when the backend takes no connection any more.
                        while (try? await client.get("/healthz")) != nil {}
                    }
                }
                #expect(try await client.get("/healthz").status == 200)
            }
        }
        // The folder is free: the store was closed.
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.get("/healthz").status == 200)
        }
    }
}

import CardModel
import Dispatch
import Foundation
import TestSupport
import Testing

import class GRDB.DatabaseQueue

@testable import CardStore

@Suite final class SandboxTests: StoreSuite {
    private static func open(
        _ path: String,
        kind: Sandbox.Kind? = nil,
        key: VaultKey = .random(),
        creating: Bool = true
    ) async throws -> Sandbox {
        let now = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)
        return try await Sandbox.open(path: path, kind: kind, ring: KeyRing(key), creating: creating, now: now)
    }

    // MARK: The file

    /// A change of the schema makes other sandboxes: it is made on purpose, with the table in the page *Developing*.
    @Test func `the text of the schema is the one that was decided on`() {
        #expect(Schema.digest == "36250595c1a134d5d6c709c92b86149940e7bffb376d8d983d4b3698dd1432aa")
    }

    @Test func `a sandbox has an identity, which it keeps`() async throws {
        let id = harness.store.id
        try await harness.reopen()
        #expect(harness.store.id == id)
        let folder = harness.folder + "-other"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let other = try await Self.open(folder)
        #expect(other.id != id)
        try other.close()
    }

    @Test func `no sandbox is made within another, however deep and by whatever link`() async throws {
        let link = harness.folder + "-link"
        defer { unlink(link) }
        #expect(symlink(harness.folder + "/workers", link) == 0)
        for path in [harness.folder + "/sandbox", harness.folder + "/workers/a/b", link + "/deep"] {
            let error = await #expect(throws: CodedError.self) { try await Self.open(path) }
            #expect(error?.code == .sandboxUnavailable && error?.kind == .configuration)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a sandbox that another process has just made is within no other`() throws {
        #expect(throws: Never.self) { try SandboxFolder(path: harness.folder).requireOutside() }
        #expect(throws: CodedError.self) { try SandboxFolder(path: harness.folder + "/a").requireOutside() }
    }

    @Test(arguments: [("nfs4", false), ("fuse.sshfs", false), ("virtiofs", true), ("ext4", true)])
    func `a sandbox is neither made nor opened on a network file system`(kind: String, isFit: Bool) async throws {
        for (path, creating) in [(harness.folder + "-far", true), (harness.folder, false)] {
            defer { if creating { try? FileManager.default.removeItem(atPath: path) } }
            do {
                let store = try await Sandbox.open(
                    path: path,
                    kind: nil,
                    ring: KeyRing(harness.key),
                    creating: creating,
                    on: FileSystemKind(name: kind),
                    now: harness.now
                )
                try store.close()
                #expect(isFit)
            } catch let error as CodedError {
                #expect(!isFit && error.kind == .configuration && error.message.text().contains("(\(kind))"))
                #expect(!creating || !FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `a change waits for a process that keeps the sandbox locked for six seconds`() async throws {
        let queue = try DatabaseQueue(path: harness.store.folder.database)
        let (isLocked, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let lock = Thread {
            try? queue.inDatabase { connection in
                try connection.execute(sql: "BEGIN IMMEDIATE")
                isLocked.signal()
                _ = isReleased.wait(timeout: .now() + 6)
                try connection.execute(sql: "COMMIT")
            }
        }
        lock.start()
        isLocked.wait()
        try await harness.admit("front", number: "N")
        #expect(try await harness.store.listings.counts() == [.prepared: 1])
        try queue.close()
    }

    @Test func `a sandbox that cannot be read is no sandbox of an earlier build`() async throws {
        try harness.store.close()
        #expect(truncate(harness.store.folder.database, 4096) == 0)
        #expect(await code { try await harness.another() } == .sandboxDamaged)
    }

    @Test func `nothing is written once the log of a sandbox that was just made is deleted`() async throws {
        let folder = harness.folder + "-new"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try await Self.open(folder)
        try await store.upkeep.recordClock(harness.now)
        try FileManager.default.removeItem(atPath: folder + "/sandbox.sqlite3-wal")
        #expect(
            await code { try await store.upkeep.recordClock(harness.now.advanced(by: .seconds(1))) }
                == .sandboxUnavailable
        )
        try? store.close()
    }

    @Test(arguments: ["sandbox.sqlite3", "sandbox.sqlite3-wal"])
    func `nothing is written once a file of the sandbox was exchanged`(file: String) async throws {
        try await harness.admit("front", number: "N")
        let path = "\(harness.folder)/\(file)"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        try FileManager.default.copyItem(atPath: path + ".away", toPath: path)
        let error = await #expect(throws: CodedError.self) { try await harness.admit("other", number: "M") }
        #expect(error?.code == .sandboxUnavailable)
        #expect(error?.message.text().contains("were deleted or exchanged") == true)
    }

    @Test func `a commit waits for the disk, and what is deleted is overwritten`() async throws {
        let expected: [(SQL, Int)] = [
            ("PRAGMA synchronous", 2), ("PRAGMA secure_delete", 1), ("PRAGMA foreign_keys", 1),
            ("PRAGMA page_size", 8192), ("PRAGMA auto_vacuum", 2), ("PRAGMA user_version", 1),
        ]
        for (pragma, value) in expected {
            let read = try await harness.store.database.write { tx in try tx.value(pragma, as: Int.self) }
            #expect(read == value, "\(pragma.text)")
        }
        #expect(try await harness.store.database.write { tx in try tx.value("PRAGMA journal_mode") } == "wal")
    }

    @Test func `no column takes a value of another type`() async throws {
        let loose: SQL = """
            SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' AND NOT strict
            """
        #expect(try await harness.value(loose, as: Int.self) == 0)
        try await harness.admit("front", number: "N")
        await #expect(throws: (any Error).self) { try await harness.plant("UPDATE card SET metadata = 1") }
    }

    @Test func `a sandbox that is closed is one file, which holds every change`() async throws {
        try await harness.admit("front", number: "N")
        _ = try await harness.store.listings.counts()
        try harness.store.close()
        let log = "\(harness.folder)/sandbox.sqlite3-wal"
        #expect((try? Data(contentsOf: URL(filePath: log)).count) ?? 0 == 0)
        harness.store = try await harness.another()
        #expect(try await harness.store.listings.counts() == [.prepared: 1])
    }

    @Test func `closing waits for no other process that reads`() async throws {
        try await harness.admit("front", number: "N")
        let duration = try await harness.whileAnotherReads {
            try ContinuousClock().measure { try harness.store.close() }
        }
        // It would wait as long as for any other lock.
        #expect(duration < .seconds(Limits.busyTimeout))
    }

    @Test func `folder and files are closed to others`() async throws {
        for (path, mode) in [
            ("", 0o700), ("/workers", 0o700), ("/sandbox.sqlite3", 0o600), ("/sandbox.sqlite3-wal", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: harness.folder + path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
    }

    @Test func `nothing personal stands in the files of a sandbox`() async throws {
        let file = try harness.file("CANARY-FILE")
        let photo = harness.photo("CANARY-BYTES", number: "N", file: file) {
            $0.userNumber = Redacted("CANARY-USER")
            $0.expectedIDNumber = Redacted("CANARY-EXPECTED-NUMBER")
            $0.expectedName = Redacted("CANARY-EXPECTED-NAME")
        }
        let card = try await harness.admit(photo).card
        let job = try #require(try await harness.claim().first)
        let fields = CardFields(name: "CANARY-NAME", address: "CANARY-ADDRESS", number: "11010519491231002X")
        let warning = VerdictFinding(
            VerdictRule.numberRegion.reason,
            .warn,
            message: Message("test.warning", "a \(Redacted("CANARY-WARNING"))")
        )
        let reading = CardReading(side: .front, fields: fields, requestID: "CANARY-REQUEST")
        try await harness.conclude(job, reading, warnings: [warning])
        let delivery = try #require(try await harness.begin().first)
        let failure = RemoteFailure(
            .unknown,
            code: "CODE",
            message: Message("test.says", "it says \(Redacted("CANARY-MESSAGE"))")
        )
        try await harness.conclude(delivery, .failed(failure), onUnknown: .hold)
        #expect(try await harness.state(card) == "held outcome_unknown")
        var bytes = try Data(contentsOf: URL(filePath: "\(harness.folder)/sandbox.sqlite3-wal"))
        try harness.store.close()
        bytes += try Data(contentsOf: URL(filePath: "\(harness.folder)/sandbox.sqlite3"))
        harness.store = try await harness.another()
        // What is not personal is found, so the search works.
        #expect(bytes.range(of: Data(card.rawValue.utf8)) != nil)
        let canaries = [
            "CANARY", "SECRET-TOKEN", "11010519491231002X", harness.folder, Data("jpeg of".utf8).base64EncodedString(),
            "jpeg of",
        ]
        for canary in canaries { #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(canary)") }
    }

    // MARK: Opening

    @Test func `two processes that open a new sandbox at once share one`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let key = VaultKey.random()
        let stores = try await withThrowingTaskGroup(of: Sandbox.self) { group in
            for _ in 0..<4 { group.addTask { try await Self.open(path, kind: .real, key: key) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var workers: [Worker] = []
        for (index, store) in stores.enumerated() {
            let now = Timestamp(millisecondsSinceEpoch: 0)
            workers.append(try await store.upkeep.startWorker(id: "w\(index)", command: "run", now: now))
        }
        #expect(try await stores[0].upkeep.workers().map(\.id) == workers.map(\.id))
        for store in stores { try store.close() }
    }

    @Test func `a sandbox holds cards for one kind of endpoints`() async throws {
        let error = await #expect(throws: CodedError.self) {
            try await Self.open(harness.folder, kind: .embedded, key: harness.key)
        }
        #expect(error?.code == .wrongSandbox && error?.kind == .configuration)
    }

    @Test func `a sandbox that is not there is made only on purpose`() async throws {
        let path = "/tmp/\(UUID().uuidString)"
        #expect(await code { try await Self.open(path, creating: false) } == .notFound)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a file whose making was cut off can be looked at`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cut-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["making", "left"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        let making = "\(folder)/making/sandbox.sqlite3"
        let queue = try DatabaseQueue(path: making)
        // More than the cache holds, so that pages are in the file before the commit: what a kill leaves behind.
        try await queue.writeWithoutTransaction { connection in
            try connection.execute(sql: "PRAGMA cache_size = 5")
            try connection.execute(sql: "CREATE TABLE first (bytes BLOB)")
            try connection.beginTransaction()
            try connection.execute(sql: "DROP TABLE first; CREATE TABLE begun (bytes BLOB)")
            try connection.execute(sql: "INSERT INTO begun VALUES (randomblob(2000000))")
            for ending in ["", "-journal"] {
                let left = "\(folder)/left/sandbox.sqlite3\(ending)"
                try FileManager.default.copyItem(atPath: making + ending, toPath: left)
            }
            try connection.rollback()
        }
        try queue.close()
        let marks = try Database.marks(of: "\(folder)/left/sandbox.sqlite3")
        #expect(!marks.isEmpty && marks.application == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/left/sandbox.sqlite3-journal"))
    }

    @Test(arguments: [
        "PRAGMA application_id = 0", "PRAGMA application_id = 1229210419", "PRAGMA user_version = 2",
        "UPDATE store SET schema = '00'", "ALTER TABLE store DROP COLUMN schema",
    ])
    func `a sandbox of another edition or a newer version is refused untouched`(_ change: String) async throws {
        try await harness.plant(change)
        try harness.store.close()
        let file = URL(filePath: "\(harness.folder)/sandbox.sqlite3")
        let before = try Data(contentsOf: file)
        for creating in [true, false] {
            let error = await #expect(throws: CodedError.self) {
                try await Self.open(harness.folder, key: harness.key, creating: creating)
            }
            #expect(error?.code == .wrongSandbox && error?.kind == .configuration)
        }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `a file of another program is refused untouched, journal and all`() async throws {
        let path = "\(harness.folder)/other"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try StoreHarness.plantFile("\(path)/sandbox.sqlite3", "CREATE TABLE card (id TEXT)")
        let before = try Data(contentsOf: URL(filePath: "\(path)/sandbox.sqlite3"))
        #expect(await code { try await Self.open(path) } == .wrongSandbox)
        #expect(try Data(contentsOf: URL(filePath: "\(path)/sandbox.sqlite3")) == before)
    }

    // MARK: Group commit

    @Test func `changes that wait share commits, and what they returned is there after opening again`() async throws {
        let commits = try await CommitCount(of: harness.store)
        let photos = (0..<200).map { harness.photo("\($0)", number: "N\($0)") }
        let (store, now) = (harness.store, harness.now)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for photo in photos { group.addTask { _ = try await store.intake.admit([photo], now: now) } }
            try await group.waitForAll()
        }
        #expect((1..<100).contains(commits.value))
        try await harness.reopen()
        #expect(try await harness.store.listings.counts() == [.prepared: 200])
        #expect(try await harness.findings() == [])
    }

    /// Makes a change of two statements, of which the second may fail; tells whether it was made.
    private static func insert(_ number: String, into database: Database, fails: Bool) async -> Bool {
        do {
            try await database.write { tx in
                try tx.run("INSERT INTO cases (number, key, submitter) VALUES (\(number), \(number), '')")
                if fails { try tx.run("INSERT INTO store (id) VALUES (2)") }
            }
            return true
        } catch { return false }
    }

    @Test func `a change that fails is undone alone`() async throws {
        let database = harness.store.database
        let made = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask { await Self.insert("N\(index)", into: database, fails: index % 5 == 0) }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 40)
        #expect(try await harness.value("SELECT count(*) FROM cases", as: Int.self) == 40)
    }

    @Test func `a change that fails without others beside it is undone, and the next one is made`() async throws {
        for fails in [true, false, true] {
            let name = fails ? "failing" : "sound"
            #expect(await Self.insert(name, into: harness.store.database, fails: fails) == !fails)
        }
        #expect(try await harness.value("SELECT group_concat(number) FROM cases", as: String.self) == "sound")
    }

    @Test func `a front and its back go one after the other in five commits a card`() async throws {
        let commits = try await CommitCount(of: harness.store)
        let photos = [harness.photo("front", number: "N1"), harness.photo("back", number: "N1")]
        let cards = try await harness.store.intake.admit(photos, now: harness.now).map(\.card)
        try await harness.verify([cards[1]: (.back, nil)])
        #expect(try await harness.proposals() == [[cards[0]]])
        try await harness.deliverAll()
        #expect(try await harness.store.listings.counts() == [.delivered: 2])
        // One admits both, one claims both; then each is judged, sent and concluded.
        #expect(commits.value == 2 + 2 * 3)
    }

    @Test func `a lone change does not wait for others`() async throws {
        let commits = try await CommitCount(of: harness.store)
        for index in 0..<5 { try await harness.admit("\(index)", number: "N") }
        #expect(commits.value == 5)
    }
}

extension StoreHarness {
    /// Does something while another process is in the midst of reading the one card.
    func whileAnotherReads<Value>(_ body: () async throws -> Value) async throws -> Value {
        let other = try await self.another()
        let (reading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let count = other.database.read { tx in
            let count = try tx.value("SELECT count(*) FROM card", as: Int.self)
            reading.signal()
            mayEnd.wait()
            return count
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                reading.wait()
                continuation.resume()
            }
        }
        defer { mayEnd.signal() }
        let value = try await body()
        mayEnd.signal()
        #expect(try await count == 1)
        try other.close()
        return value
    }
}

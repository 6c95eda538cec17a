import CardEmbedded
import Foundation
import ServiceLifecycle
import TestSupport
import Testing

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

    @Test func `A kill at any byte of the last line leaves what was answered, and no image without a line`()
        async throws
    {
        let kill = try await KilledBackend(self.folder)
        for cut in 0...(kill.whole[0].count - kill.before[0].count) {
            try kill.leave(without: cut)
            // Opens the folder as a start does: nothing has this key.
            try EmbeddedBackend.erase([(key: "9", position: 1)], in: self.folder.url.path)
            #expect(try kill.lines == (cut == 0 ? kill.whole : kill.before), "\(cut)")
            #expect(try self.folder.documents() == Array(KilledBackend.documents.prefix(cut == 0 ? 2 : 1)), "\(cut)")
        }
    }

    @Test(arguments: [0, 1, 5, Int.max])
    func `What a kill left of a line was never answered: it goes, and its upload is stored once`(cut: Int) async throws
    {
        let kill = try await KilledBackend(self.folder)
        try kill.leave(without: cut)
        let isAnswered = cut == 0
        try await withBackend(in: self.folder) { client async throws in
            #expect(try kill.lines == (isAnswered ? kill.whole : kill.before))
            #expect(try self.folder.documents() == Array(KilledBackend.documents.prefix(isAnswered ? 2 : 1)))
            let again = try await client.upload(.single(number: "B-2"), key: "\"3\"")
            #expect(again.retcode == "000000" && again.isReplay == isAnswered)
            #expect(try await client.upload(.single(number: ""), key: "\"4\"").isReplay == isAnswered)
            #expect(try await client.upload(.single(), key: "\"1\"").isReplay)
            #expect(try await client.upload(.single(number: "B-2"), key: "\"5\"").retcode == "000001")
        }
        #expect(try self.folder.ledger().map(\.idempotencyKey) == ["1", "3"])
        #expect(try self.folder.ledger().map(\.sequence) == [1, 2])
        #expect(try self.folder.refusals().map(\.idempotencyKey) == ["2", "4", "5"])
        #expect(try self.folder.documents() == KilledBackend.documents)
    }

    @Test func `Of an upload of several documents a kill leaves all lines or none`() async throws {
        let form = HandWrittenForm.batch([.init(number: "B-2"), .init(number: "B-3"), .init(number: "B-4")])
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(form, key: "\"2\"").retcode == "000000")
        }
        let ledger = self.folder.url.appending(path: "ledger.jsonl")
        let lines = try Data(contentsOf: ledger).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 4)
        for count in 2...3 {
            try Data(lines.prefix(count).flatMap { $0 + "\n".utf8 }).write(to: ledger)
            try await withBackend(in: self.folder) { client async throws in
                #expect(try self.folder.ledger().map(\.businessNo) == ["B-1"])
                #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg"])
                let answer = try await client.upload(form, key: "\"2\"")
                #expect(answer.itemCodes == ["000000", "000000", "000000"] && !answer.isReplay)
            }
            #expect(try self.folder.ledger().map(\.sequence) == [1, 2, 3, 4])
        }
    }

    @Test(arguments: ["documents/B-1", "ledger.jsonl"])
    func `A folder that takes nothing is 500, and the same upload is taken later`(file: String) async throws {
        let log = LogLines()
        try await withBackend(in: self.folder, logger: log.logger) { client async throws in
            let path = self.folder.url.appending(path: file)
            let isLedger = file == "ledger.jsonl"
            if isLedger { try FileManager.default.removeItem(at: path) }
            // A folder is not a file, and a file is not a folder.
            try isLedger
                ? FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
                : Data().write(to: path)
            let failed = try await client.upload(.single(), key: "\"1\"")
            #expect(failed.status == 500 && failed.code == "not_stored")
            #expect(!failed.text.contains("B-1") && !log.text.contains("B-1"))
            #expect(log.text.contains("upload not stored"))
            #expect(try await client.get("/healthz").json["documents"] as? Int == 0)
            try FileManager.default.removeItem(at: path)
            let answer = try await client.upload(.single(), key: "\"1\"")
            #expect(answer.retcode == "000000" && !answer.isReplay)
        }
        #expect(try self.folder.ledger().map(\.sequence) == [1])
        #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test(arguments: ["ledger.jsonl", "refusals.jsonl"])
    func `A line that is none is refused by its number, and nothing is removed`(file: String) async throws {
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").retcode == "200002")
        }
        let url = self.folder.url.appending(path: file)
        let spoilt = try Data(contentsOf: url) + Data("{}\n".utf8)
        try spoilt.write(to: url)
        let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: self.folder) { _ in } }
        #expect(error?.code == .folderUnusable)
        #expect(error?.message.contains("Line 2 of \(file)") == true)
        #expect(try Data(contentsOf: url) == spoilt)
        #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg"])
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
        try foreign.plantImage("mine/IDCARD_FRONT_APP-1.jpg")
        for folder in [file, foreign] {
            let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: folder) { _ in } }
            #expect(error?.code == .folderUnusable)
            #expect(error.map { "\($0)".contains(folder.url.path) } == false)
        }
        #expect(try foreign.documents() == ["mine/IDCARD_FRONT_APP-1.jpg"])
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
        // The folder is free again.
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.get("/healthz").status == 200)
        }
    }
}

/// A backend with two uploads of which a kill left the lines, and two of which it may have cut them off.
private struct KilledBackend {
    static let documents = ["B-1/IDCARD_FRONT_APP-1.jpg", "B-2/IDCARD_FRONT_APP-1.jpg"]

    let folder: BackendFolder
    /// The bytes of ledger and refusals before the last two uploads, and after them.
    private(set) var before: [Data] = []
    private(set) var whole: [Data] = []

    init(_ folder: BackendFolder) async throws {
        self.folder = folder
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").retcode == "200002")
        }
        self.before = try self.lines
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(number: "B-2"), key: "\"3\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"4\"").retcode == "200002")
        }
        self.whole = try self.lines
    }

    private var files: [URL] { ["ledger.jsonl", "refusals.jsonl"].map { self.folder.url.appending(path: $0) } }

    var lines: [Data] { get throws { try self.files.map { try Data(contentsOf: $0) } } }

    /// Cuts off so many bytes of the last line of each file, at most all; leaves images that no line names.
    func leave(without cut: Int) throws {
        for (file, (before, whole)) in zip(self.files, zip(self.before, self.whole)) {
            try whole.prefix(max(before.count, whole.count - cut)).write(to: file)
        }
        let unnamed = ["B-1/IDCARD_FRONT_APP-2.jpg", "B-3/IDCARD_FRONT_APP-1.jpg"]
        for image in unnamed + Self.documents.dropFirst() { try self.folder.plantImage(image) }
    }
}

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

import AsyncHTTPClient
import Foundation
import IDCardEmbedded
import IDCardTesting
import NIOCore
import Testing

@Suite("The embedded backend's memory", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct BackendStateTests {
    @Test("survives a restart: keys, answers, documents, order and numbers")
    func restart() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").retcode == "200002")
        }
        try await withBackend(in: folder) { client async throws in
            let replay = try await client.upload(.single(), key: "\"1\"")
            #expect(replay.retcode == "000000")
            #expect(replay.isReplay)
            let refusal = try await client.upload(.single(number: ""), key: "\"2\"")
            #expect(refusal.retcode == "200002")
            #expect(refusal.isReplay)
            #expect(try await client.upload(.single(number: "B-9"), key: "\"1\"").status == 422)
            #expect(try await client.upload(.single(number: "B-9"), key: "\"2\"").status == 422)
            #expect(try await client.upload(.single(), key: "\"3\"").retcode == "000001")
            #expect(try await client.upload(.single(isFront: false), key: "\"4\"").retcode == "000000")
        }
        #expect(try folder.ledger().map(\.sequence) == [1, 2])
        #expect(try folder.ledger().map(\.isOutOfOrder) == [false, false])
    }

    @Test("drops half a line that a crash left, and the document is taken again under the same name")
    func tornLine() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"1\"")
            _ = try await client.upload(.single(number: "B-2"), key: "\"2\"")
        }
        let url = folder.url.appending(path: "ledger.jsonl")
        let whole = try Data(contentsOf: url)
        try whole.dropLast(20).write(to: url)
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").isReplay)
            let again = try await client.upload(.single(number: "B-2"), key: "\"2\"")
            #expect(again.retcode == "000000")
            #expect(!again.isReplay)
        }
        #expect(try folder.ledger().map(\.sequence) == [1, 2])
        #expect(try folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg", "B-2/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test("is not trusted when a whole line is damaged")
    func damagedLine() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { _ = try await $0.upload(.single(), key: "\"1\"") }
        let url = folder.url.appending(path: "ledger.jsonl")
        try (Data("{\"sequence\":1}\n".utf8) + Data(contentsOf: url)).write(to: url)
        let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: folder) { _ in } }
        #expect(error?.code == .ledgerDamaged)
    }

    @Test("belongs to one backend at a time")
    func folderInUse() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { _ in
            let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: folder) { _ in } }
            #expect(error?.code == .folderInUse)
        }
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.get("/healthz").status == 200)
        }
    }

    @Test("needs a folder")
    func folderUnusable() async throws {
        let folder = BackendFolder()
        try Data("a file".utf8).write(to: folder.url)
        let error = await #expect(throws: EmbeddedError.self) { try await withBackend(in: folder) { _ in } }
        #expect(error?.code == .folderUnusable)
        #expect(error.map { "\($0)".contains(folder.url.path) } == false)
    }

    @Test("answers 500 when a document cannot be stored, and takes the same upload later")
    func storageFails() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let obstacle = folder.url.appending(path: "documents/B-1")
            try Data().write(to: obstacle)
            let failed = try await client.upload(.single(), key: "\"1\"")
            #expect(failed.status == 500)
            #expect(failed.code == "not_stored")
            try FileManager.default.removeItem(at: obstacle)
            let answer = try await client.upload(.single(), key: "\"1\"")
            #expect(answer.retcode == "000000")
            #expect(!answer.isReplay)
        }
        #expect(try folder.ledger().count == 1)
    }

    @Test("takes any TOKEN when none is configured, and refuses it once expired")
    func anyToken() async throws {
        try await withBackend(in: BackendFolder()) { client async throws in
            #expect(try await client.upload(.single(token: "x"), key: "\"1\"").retcode == "000000")
            #expect(try await client.send("/control/expire-token").json["expired"] == "1")
            #expect(try await client.upload(.single(token: "x", number: "B-2"), key: "\"2\"").retcode == "100001")
            #expect(try await client.upload(.single(token: "y", number: "B-2"), key: "\"3\"").retcode == "000000")
        }
    }

    @Test("asks for the new TOKEN when told to, until it comes; answered uploads keep their answer")
    func expireToken() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) {
            $0.tokens = ["token-1", "token-2"]
        } body: { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.send("/control/expire-token").status == 200)
            let expired = HandWrittenForm.single(number: "B-2")
            #expect(try await client.upload(expired, key: "\"2\"").retcode == "100001")
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(token: "token-2", number: "B-2"), key: "\"3\"").retcode == "000000")
            #expect(try await client.upload(.single(token: "token-3", number: "B-3"), key: "\"4\"").retcode == "100002")
            let body = ByteBuffer(string: "{\"accept\":\"token-3\"}")
            #expect(try await client.send("/control/expire-token", body: .bytes(body)).json["expired"] == "1")
            #expect(try await client.upload(.single(token: "token-2", number: "B-4"), key: "\"5\"").retcode == "100001")
            #expect(try await client.upload(.single(token: "token-3", number: "B-4"), key: "\"6\"").retcode == "000000")
            let nonsense = try await client.send("/control/expire-token", body: .bytes(ByteBuffer(string: "nonsense")))
            #expect(nonsense.code == "control_malformed")
        }
        #expect(try folder.ledger().map(\.businessNumber) == ["B-1", "B-2", "B-4"])
    }

    @Test("asks for a new TOKEN after the configured number of documents, once")
    func requiresNewToken() async throws {
        try await withBackend(in: BackendFolder()) {
            $0.tokens = ["token-1", "token-2"]
            $0.requiresNewTokenAfter = 2
        } body: { client async throws in
            for index in 1...2 {
                #expect(
                    try await client.upload(.single(number: "A-\(index)"), key: "\"a\(index)\"").retcode == "000000"
                )
            }
            #expect(try await client.upload(.single(number: "A-3"), key: "\"a3\"").retcode == "100001")
            for index in 1...4 {
                let form = HandWrittenForm.single(token: "token-2", number: "B-\(index)")
                #expect(try await client.upload(form, key: "\"b\(index)\"").retcode == "000000")
            }
        }
    }

    @Test("counts every document once when many are sent at a time")
    func concurrent() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
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
        #expect(try folder.ledger().map(\.sequence) == Array(1...20))
        #expect(try folder.documents().count == 20)
    }
}

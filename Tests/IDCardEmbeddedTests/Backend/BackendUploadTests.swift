import AsyncHTTPClient
import Foundation
import IDCardEmbedded
import IDCardTesting
import NIOCore
import NIOHTTP1
import Testing

@Suite("The embedded backend", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct BackendUploadTests {
    @Test("stores a front and a back and writes the ledger")
    func happyPath() async throws {
        let folder = BackendFolder()
        let front = HandWrittenForm.single()
        let back = HandWrittenForm.single(isFront: false, image: [0xFF, 0xD8, 0xFF, 0xE1, 0x01, 0xFF, 0xD9])
        try await withBackend(in: folder) { client async throws in
            let first = try await client.upload(front, key: "\"key-1\"")
            #expect(first.status == 200)
            #expect(first.json == ["RETCODE": "000000", "RETMSG": "success"])
            #expect(first.headers["content-type"] == "application/json")
            #expect(!first.isReplay)
            #expect(try await client.upload(back, key: "\"key-2\"").retcode == "000000")
            let health = try await client.get("/healthz")
            #expect(health.json["documents"] == "2")
        }
        let ledger = try folder.ledger()
        #expect(ledger.map(\.sequence) == [1, 2])
        #expect(ledger.map(\.idempotencyKey) == ["key-1", "key-2"])
        #expect(ledger.map(\.businessNumber) == ["B-1", "B-1"])
        #expect(ledger.map(\.documentType) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(ledger.map(\.userNumber) == ["user-1", "user-1"])
        #expect(ledger.map(\.isOutOfOrder) == [false, false])
        #expect(ledger.map(\.file) == ["documents/B-1/IDCARD_FRONT_APP-1.jpg", "documents/B-1/IDCARD_BACK_APP-1.jpg"])
        // By sha256sum.
        #expect(ledger[0].imageDigest == "2506548154d5337193370eb0ce2e7933a79c91613a25f454f12d638334c7e0ae")
        #expect(try Data(contentsOf: folder.url.appending(path: ledger[0].file)) == Data(HandWrittenForm.jpeg))
        #expect(try folder.documents() == ["B-1/IDCARD_BACK_APP-1.jpg", "B-1/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test("lets only the owner read what it keeps")
    func permissions() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { _ = try await $0.upload(.single(), key: "\"k\"") }
        for path in [
            "ledger.jsonl", "refusals.jsonl", "documents/B-1/IDCARD_FRONT_APP-1.jpg", "documents", "documents/B-1", "",
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: path).path)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            let isFile = path.contains(".jp") || path.contains(".jsonl")
            #expect(mode == (isFile ? 0o600 : 0o700), "\(path)")
        }
    }

    @Test("repeats the answer to the same key and content and stores nothing more")
    func replay() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"k\"")
            for _ in 0..<3 {
                let again = try await client.upload(.single(), key: "\"k\"")
                #expect(again.status == 200)
                #expect(again.retcode == "000000")
                #expect(again.isReplay)
            }
            let refused = try await client.upload(.single(number: ""), key: "\"r\"")
            let again = try await client.upload(.single(number: ""), key: "\"r\"")
            #expect(refused.body == again.body)
            #expect(again.isReplay && !refused.isReplay)
        }
        #expect(try folder.ledger().count == 1)
        #expect(try folder.documents().count == 1)
    }

    @Test("answers 422 to the same key with other content, be it only another boundary")
    func keyReused() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"k\"")
            var otherBoundary = HandWrittenForm.single()
            otherBoundary.boundary = "hand-written-8"
            for form in [HandWrittenForm.single(number: "B-2"), otherBoundary, HandWrittenForm(parts: [])] {
                let answer = try await client.upload(form, key: "\"k\"")
                #expect(answer.status == 422)
                #expect(answer.code == "key_reused")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            #expect(try await client.upload(.single(), key: "\"k\"").isReplay)
        }
        #expect(try folder.ledger().count == 1)
    }

    @Test("answers 409 while an upload with the same key is under way, then the stored answer")
    func keyInProgress() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let form = HandWrittenForm.single()
            let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: form.body[..<50]))
            async let first = client.send(
                "/upload",
                body: .stream(chunks, length: .known(Int64(form.body.count))),
                contentType: form.contentType,
                key: "\"k\""
            )
            while try await client.get("/healthz").json["running"] != "1" { await Task.yield() }
            let second = try await client.upload(form, key: "\"k\"")
            #expect(second.status == 409)
            #expect(second.code == "key_in_progress")
            #expect(try await client.upload(.single(number: "B-2"), key: "\"other\"").retcode == "000000")
            continuation.yield(ByteBuffer(bytes: form.body[50...]))
            continuation.finish()
            #expect(try await first.retcode == "000000")
            #expect(try await client.upload(form, key: "\"k\"").isReplay)
        }
        #expect(try folder.ledger().count == 2)
    }

    @Test("gives the key back when the sender breaks off in the middle of the body")
    func brokenOff() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let form = HandWrittenForm.single()
            let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: form.body[..<50]))
            let sending = Task {
                try await client.send(
                    "/upload",
                    body: .stream(chunks, length: .known(Int64(form.body.count))),
                    contentType: form.contentType,
                    key: "\"k\""
                )
            }
            while try await client.get("/healthz").json["running"] != "1" { await Task.yield() }
            sending.cancel()
            while try await client.get("/healthz").json["running"] != "0" { await Task.yield() }
            #expect(await (try? sending.value.retcode) == nil)
            #expect(try folder.ledger().isEmpty)
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.retcode == "000000")
            #expect(!answer.isReplay)
        }
    }

    @Test(
        "answers 400 without a key in quotes",
        arguments: [nil, "", "key", "\"\"", "\"a", "a\"", "\"a\"b\"", "\"a\\b\"", "'a'", "\"é\"", "\"a\"; p=1"]
    )
    func badKey(key: String?) async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let answer = try await client.upload(.single(), key: key)
            #expect(answer.status == 400)
            #expect(answer.code == (key == nil ? "key_missing" : "key_malformed"))
        }
        #expect(try folder.ledger().isEmpty)
    }

    @Test("answers 400 to two keys")
    func twoKeys() async throws {
        try await withBackend(in: BackendFolder()) { client async throws in
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(client.port)/upload")
            request.method = .POST
            request.headers.add(name: "Idempotency-Key", value: "\"a\"")
            request.headers.add(name: "Idempotency-Key", value: "\"b\"")
            #expect(try await client.send(request).code == "key_malformed")
        }
    }

    @Test("reads escapes in a key")
    func escapedKey() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"a\\\"b\\\\c\"").retcode == "000000")
        }
        #expect(try folder.ledger().map(\.idempotencyKey) == ["a\"b\\c"])
    }

    @Test("answers 400 to what is no form, and takes the key again with a good one")
    func malformedForm() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            let form = HandWrittenForm.single()
            let cut = ByteBuffer(bytes: form.body.dropLast(10))
            let answer = try await client.send(
                "/upload",
                body: .bytes(cut),
                contentType: form.contentType,
                key: "\"k\""
            )
            #expect(answer.status == 400)
            #expect(answer.code == "form_malformed")
            let json = try await client.send(
                "/upload",
                body: .bytes(ByteBuffer(string: "{}")),
                contentType: "application/json",
                key: "\"k\""
            )
            #expect(json.code == "form_malformed")
            #expect(try await client.upload(form, key: "\"k\"").retcode == "000000")
        }
    }

    @Test("answers 413 to a body over the limit, declared or not")
    func tooLarge() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { configuration in
            configuration.formLimits.bodyBytes = 2_000
        } body: { client async throws in
            let form = HandWrittenForm.single(image: HandWrittenForm.jpeg + [UInt8](repeating: 0, count: 5_000))
            let declared = try await client.upload(form, key: "\"k\"")
            #expect(declared.status == 413)
            #expect(declared.code == "body_too_large")
            let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: form.body))
            continuation.finish()
            let chunked = try await client.send(
                "/upload",
                body: .stream(chunks, length: .unknown),
                contentType: form.contentType,
                key: "\"k\""
            )
            #expect(chunked.status == 413)
            #expect(try await client.upload(.single(), key: "\"k\"").retcode == "000000")
        }
    }

    @Test("gives up on a body that does not arrive in time")
    func stalledBody() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { configuration in
            configuration.bodyTimeout = .milliseconds(50)
        } body: { client async throws in
            let form = HandWrittenForm.single()
            let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: form.body[..<50]))
            await #expect(throws: (any Error).self) {
                try await client.send(
                    "/upload",
                    body: .stream(chunks, length: .known(Int64(form.body.count))),
                    contentType: form.contentType,
                    key: "\"k\""
                )
            }
            continuation.finish()
            while try await client.get("/healthz").json["running"] != "0" { await Task.yield() }
            #expect(try await client.upload(form, key: "\"k\"").retcode == "000000")
        }
        #expect(try folder.ledger().count == 1)
    }

    @Test("answers in problem details where it has nothing")
    func notFound() async throws {
        try await withBackend(in: BackendFolder()) { client async throws in
            let missing = try await client.get("/nothing")
            #expect(missing.status == 404)
            #expect(missing.code == "http_404")
            #expect(missing.headers["content-type"] == "application/problem+json")
        }
    }

    @Test("takes uploads where it is told to")
    func otherPath() async throws {
        try await withBackend(in: BackendFolder()) { configuration in
            configuration.uploadPath = "/api/v2/documents"
            configuration.replyCodes.success = "0"
        } body: { client async throws in
            #expect(try await client.upload(.single(), key: "\"k\"", path: "/api/v2/documents").retcode == "0")
            #expect(try await client.upload(.single(), key: "\"k\"").status == 404)
        }
    }

    @Test("never logs a field's value, a key or a path")
    func quietLogs() async throws {
        let recorder = LogRecorder()
        let folder = BackendFolder()
        try await withBackend(in: folder, logger: recorder.logger) { client async throws in
            var form = HandWrittenForm.single(token: "secret-token", number: "secret-number")
            form.parts[1] = .text("USERNO", "secret-user")
            #expect(try await client.upload(form, key: "\"secret-key\"").retcode == "000000")
            form.parts[2] = .text("BUSINESSTYPE", "secret-type")
            _ = try await client.upload(form, key: "\"secret-other\"")
            _ = try await client.upload(form, key: "secret")
        }
        let lines = recorder.lines
        #expect(lines.contains { $0.contains("upload answered") })
        #expect(lines.contains { $0.contains("key_malformed") })
        #expect(!lines.contains { $0.contains("secret") || $0.contains(folder.url.path) })
    }
}

import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
    private let folder = BackendFolder()

    private typealias Form = HandWrittenForm

    @Test func `A front and a back are stored as files and listed in the ledger`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let first = try await client.upload(.single(), key: "\"key-1\"")
            #expect(first.status == 200 && !first.isReplay)
            #expect(first.text == #"{"RETCODE":"000000","RETMSG":"success"}"#)
            #expect(first["content-type"] == "application/json")
            #expect(
                try await client.upload(.single(isFront: false, image: Form.image(1)), key: "\"key-2\"").retcode
                    == "000000"
            )
            #expect(try await client.get("/healthz").json["documents"] as? Int == 2)
            // The lines are there by the time of the answer.
            #expect(try self.folder.ledger().count == 2)
        }
        let ledger = try self.folder.ledger()
        #expect(ledger.map(\.sequence) == [1, 2])
        #expect(ledger.map(\.idempotencyKey) == ["key-1", "key-2"])
        #expect(ledger.map(\.businessNo) == ["B-1", "B-1"])
        #expect(ledger.map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(ledger.map(\.userNo) == ["user-1", "user-1"])
        #expect(ledger.map(\.outOfOrder) == [false, false])
        #expect(ledger.map(\.following) == [nil, nil])
        #expect(ledger.map(\.file) == ["documents/B-1/IDCARD_FRONT_APP-1.jpg", "documents/B-1/IDCARD_BACK_APP-1.jpg"])
        // By sha256sum.
        #expect(ledger[0].imageSha256 == "2506548154d5337193370eb0ce2e7933a79c91613a25f454f12d638334c7e0ae")
        #expect(try Data(contentsOf: self.folder.url.appending(path: ledger[0].file)) == Data(Form.jpeg))
    }

    @Test func `A line of the ledger keeps its names`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(.batch([.init(), .init(number: "B-2")]), key: "\"k\"")
            _ = try await client.upload(.single(number: ""), key: "\"r\"")
        }
        func keys(_ file: String) throws -> Set<String> {
            let text = try String(contentsOf: self.folder.url.appending(path: file), encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first)
            return Set(try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]).keys)
        }
        let answer: Set = ["time", "idempotency_key", "content_sha256", "retcode", "retmsg"]
        let document: Set = [
            "sequence", "position", "business_no", "doctype", "user_no", "image_sha256", "file", "out_of_order",
            "items",
            "following",
        ]
        #expect(try keys("ledger.jsonl") == answer.union(document))
        #expect(try keys("refusals.jsonl") == answer)
    }

    @Test func `Only the owner may read what is kept`() async throws {
        try await withBackend(in: self.folder) { _ = try await $0.upload(.single(), key: "\"k\"") }
        let paths = ["", "documents", "documents/B-1"].map { ($0, 0o700) }
        let files = ["ledger.jsonl", "refusals.jsonl", "documents/B-1/IDCARD_FRONT_APP-1.jpg"]
        for (path, mode) in paths + files.map({ ($0, 0o600) }) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: self.folder.url.appending(path: path).path
            )
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
    }

    @Test func `The same key with other content is 422, be it only another boundary`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"k\"")
            var otherBoundary = Form.single()
            otherBoundary.boundary = "hand-written-8"
            for form in [Form.single(number: "B-2"), otherBoundary, Form(parts: [])] {
                let answer = try await client.upload(form, key: "\"k\"")
                #expect(answer.status == 422 && answer.code == "key_reused")
                #expect(answer["content-type"] == "application/problem+json")
            }
            #expect(try await client.upload(.single(), key: "\"k\"").isReplay)
        }
        #expect(try self.folder.ledger().count == 1)
    }

    @Test func `A key whose upload is under way is 409, and free again when the sender breaks off`() async throws {
        let form = Form.single()
        let request = RawRequest.form(form, key: "\"k\"")
        let begun = request.bytes.dropLast(form.body.count - 50)
        try await withBackend(in: self.folder) { client async throws in
            try await client.connected { broken in
                try await broken.send(begun)
                try await client.waitForRunning(1)
            }
            try await client.waitForRunning(0)
            #expect(try self.folder.ledger().isEmpty)
            try await client.connected { (first) async throws in
                try await first.send(begun)
                try await client.waitForRunning(1)
                let second = try await client.upload(form, key: "\"k\"")
                #expect(second.status == 409 && second.code == "key_in_progress")
                #expect(try await client.upload(.single(number: "B-2"), key: "\"other\"").retcode == "000000")
                try await first.send(form.body.dropFirst(50))
                #expect(try await first.response()?.retcode == "000000")
            }
            #expect(try await client.upload(form, key: "\"k\"").isReplay)
        }
        #expect(try self.folder.ledger().count == 2)
    }

    @Test(arguments: [nil, "", "key", "\"\"", "\"a", "a\"", "\"a\"b\"", "\"a\\b\"", "'a'", "\"é\"", "\"a\"; p=1"])
    func `A key that is not one string in quotes is 400`(key: String?) async throws {
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(.single(), key: key)
            #expect(answer.status == 400 && answer.code == (key == nil ? "key_missing" : "key_malformed"))
        }
        #expect(try self.folder.ledger().isEmpty)
    }

    @Test func `Two keys are 400, and escapes in a key are read`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let keys = [("Idempotency-Key", "\"a\""), ("Idempotency-Key", "\"b\"")]
            #expect(try await client.send(RawRequest("POST", "/upload", headers: keys)).code == "key_malformed")
            #expect(try await client.upload(.single(), key: "\"a\\\"b\\\\c\"").retcode == "000000")
        }
        #expect(try self.folder.ledger().map(\.idempotencyKey) == ["a\"b\\c"])
    }

    @Test func `What is no form is 400, and the key may come again with a good one`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let form = Form.single()
            let bodies = [(form.contentType, form.body.dropLast(10)), ("application/json", Data("{}".utf8))]
            for (type, body) in bodies {
                let headers = [("Content-Type", type), ("Idempotency-Key", "\"k\"")]
                let answer = try await client.send(RawRequest("POST", "/upload", headers: headers, body: body))
                #expect(answer.status == 400 && answer.code == "form_malformed")
            }
            #expect(try await client.upload(form, key: "\"k\"").retcode == "000000")
        }
    }

    @Test func `A body over the limit is 413, and one that does not arrive in time is given up`() async throws {
        try await withBackend(in: self.folder) {
            $0.bodyTime = .milliseconds(50)
        } body: { client async throws in
            let headers = [("Idempotency-Key", "\"k\""), ("Content-Length", "100")]
            await #expect(throws: RawConnection.Failure.self) {
                try await client.send(RawRequest("POST", "/upload", headers: headers))
            }
            try await client.waitForRunning(0)
        }
        try await withBackend(in: self.folder) {
            $0.bodyBytes = 2_000
        } body: { client async throws in
            let large = Form.single(image: Form.jpeg + [UInt8](repeating: 0, count: 5_000))
            let declared = try await client.upload(large, key: "\"k\"")
            #expect(declared.status == 413 && declared.code == "body_too_large")
            #expect(try await client.upload(.single(), key: "\"k\"").retcode == "000000")
        }
        #expect(try self.folder.ledger().count == 1)
    }

    @Test func `A new TOKEN is asked for after the configured number of documents, once`() async throws {
        try await withBackend(in: self.folder) {
            $0.tokens = ["token-1", "token-2"]
            $0.requiresNewTokenAfter = 2
        } body: { client async throws in
            for index in 1...2 {
                #expect(
                    try await client.upload(.single(number: "A-\(index)"), key: "\"a\(index)\"").retcode == "000000"
                )
            }
            #expect(try await client.upload(.single(number: "A-3"), key: "\"a3\"").retcode == "100001")
            #expect(try await client.upload(.single(number: "A-1"), key: "\"a1\"").isReplay)
            for index in 1...4 {
                let form = Form.single(token: "token-2", number: "B-\(index)")
                #expect(try await client.upload(form, key: "\"b\(index)\"").retcode == "000000")
            }
        }
        #expect(try self.folder.refusals().map(\.retcode) == ["100001"])
    }

    @Test func `What is not there is answered in problem details`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let missing = try await client.get("/nothing")
            #expect(missing.status == 404 && missing.code == "http_404")
            #expect(missing["content-type"] == "application/problem+json")
        }
    }

    @Test func `No field, key or path is ever logged`() async throws {
        let log = LogLines()
        try await withBackend(in: self.folder, logger: log.logger) { client async throws in
            var form = Form.single(token: "secret-token", number: "secret-number")
            form.parts[1] = .text("USERNO", "secret-user")
            #expect(try await client.upload(form, key: "\"secret-key\"").retcode == "000000")
            form.parts[2] = .text("BUSINESSTYPE", "secret-type")
            _ = try await client.upload(form, key: "\"secret-other\"")
            _ = try await client.upload(form, key: "secret")
        }
        #expect(log.text.contains("upload answered"))
        #expect(log.text.contains("key_malformed"))
        #expect(!log.text.contains("secret") && !log.text.contains(self.folder.url.path))
    }
}

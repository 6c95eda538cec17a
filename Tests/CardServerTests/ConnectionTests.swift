import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// What single connections may do, well-formed or not: every refusal has its status, and the service goes on.
@Suite(.serving, .timeLimit(.minutes(5))) struct ConnectionTests {
    private static let token = "submitter"

    /// Sends bytes and returns the answer, and whether the connection ended after it.
    private func exchange(
        _ harness: ServerHarness,
        _ bytes: Data,
        finish: Bool = false
    ) async throws -> (response: RawResponse?, rest: Int) {
        try await harness.connected { (connection) async throws in
            try await connection.send(bytes)
            if finish { connection.finish() }
            let response = try await connection.response()
            return (response, try await connection.end())
        }
    }

    private func isServed(_ harness: ServerHarness) async throws -> Bool {
        try await harness.send(RawRequest("GET", "/healthz")).status == 200
    }

    private static let refusals: [(text: String, problem: String)] = [
        ("hello there\r\n\r\n", "400 request_malformed"),
        ("GET /healthz HTTP/1.1\r\n\r\n", "400 request_malformed"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400 request_malformed"),
        ("GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n", "400 request_malformed"),
        (
            "POST /v1/cards HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
            "400 request_malformed"
        ),
        ("POST /v1/cards HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400 request_malformed"),
        (
            "POST /v1/cards HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400 request_malformed"
        ),
        ("GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n", "505 version_unsupported"),
        ("GET /\(String(repeating: "a", count: 5_000)) HTTP/1.1\r\nHost: a\r\n\r\n", "414 target_too_long"),
        ("GET /\(String(repeating: "a", count: 200_000))", "431 header_too_large"),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n",
            "431 header_too_large"
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\n\((0..<200).map { "X\($0): 1\r\n" }.joined())\r\n",
            "431 header_too_large"
        ),
        ("POST /v1/cards HTTP/1.1\r\nHost: a\r\nExpect: more\r\nContent-Length: 1\r\n\r\n", "417 expectation_unknown"),
    ]

    @Test(arguments: refusals.indices)
    func `what is no proper request is refused as what it is, and the connection ends`(index: Int) async throws {
        let malformed = Self.refusals[index]
        let (response, rest) = try await self.exchange(harness, Data(malformed.text.utf8))
        #expect(response?.problem == malformed.problem)
        #expect(response?["content-type"] == Problem.mediaType)
        #expect(response?["connection"] == "close")
        #expect(response?["cache-control"] == "no-store")
        #expect(rest == 0)
        #expect(try await self.isServed(harness))
    }

    @Test func `a flood of header fields is cut off, however long it is`() async throws {
        let status = try await harness.connected { (connection) async throws -> Int? in
            try await connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\n")
            let field = "X-Flood: \(String(repeating: "a", count: 100))\r\n"
            let line = Data(String(repeating: field, count: 500).utf8)
            // At most 50 MB; the server stops reading long before, and then sending fails.
            for _ in 0..<1_000 { do { try await connection.send(line) } catch { break } }
            return try await connection.response()?.status
        }
        #expect(status == 431 || status == nil)
        #expect(try await self.isServed(harness))
    }

    @Test func `a connection that says nothing ends without a word, at first and after an answer`() async throws {
        try await ServerHarness.with({ $0.connections.headTime = .milliseconds(200) }) { (harness) async throws in
            let first = try await harness.connected { connection in try await connection.response()?.status }
            #expect(first == nil)
        }
        try await ServerHarness.with({ $0.connections.idleTime = .milliseconds(200) }) { (harness) async throws in
            let second = try await harness.connected { (connection) async throws -> [Int?] in
                try await connection.send(RawRequest("GET", "/healthz").bytes)
                return [try await connection.response()?.status, try await connection.response()?.status]
            }
            #expect(second == [200, nil])
        }
    }

    /// What else ends a body is a table of `ConnectionProgressTests`.
    @Test func `a body that stands still is refused, and nothing of it is left`() async throws {
        try await ServerHarness.with({ $0.connections.bodyStandstill = .milliseconds(200) }) {
            (harness) async throws in
            let request = RawRequest.image(Specimen.jpeg(), token: Self.token)
            let (response, rest) = try await self.exchange(harness, request.bytes.dropLast(100))
            #expect(response?.problem == "408 body_timeout")
            #expect(rest == 0)
            #expect(try await harness.cards().isEmpty)
        }
    }

    @Test(arguments: ["raw", "chunked", "form"])
    func `a body that is cut off is no body`(kind: String) async throws {
        let image = Specimen.jpeg()
        var bytes: Data
        switch kind {
        case "raw": bytes = RawRequest.image(image, token: Self.token).bytes.dropLast(1)
        case "chunked":
            var request = RawRequest.image(image, token: Self.token, headers: [("Transfer-Encoding", "chunked")])
            // A whole chunk, and no end.
            request.body = Data("\(String(image.count, radix: 16))\r\n".utf8) + image + Data("\r\n".utf8)
            bytes = request.bytes
        default:
            let parts = [
                (name: "business_no", filename: String?.none, bytes: Data("C".utf8)),
                (name: "image", filename: "a", bytes: image),
            ]
            bytes = RawRequest.form(parts, token: Self.token).bytes.dropLast(10)
        }
        let (response, _) = try await self.exchange(harness, bytes, finish: true)
        #expect(response?.problem == "400 body_truncated")
        #expect(try await harness.cards().isEmpty)
        #expect(try await self.isServed(harness))
    }

    @Test(
        arguments: ["zz\r\n", "5\r\nabcdefgh", "-1\r\n", "ffffffffffffffffff\r\n", "\r\n\r\n"].map {
            ("Transfer-Encoding", "chunked", $0)
        }
            + ["5, 6", "+5", "0x10", "many", "", "99999999999999999999999"].map { ("Content-Length", $0, "0\r\n\r\n") }
            + ["identical", "chunked, gzip"].map { ("Transfer-Encoding", $0, "0\r\n\r\n") }
    )
    func `a body of senseless length or chunks is refused`(field: String, value: String, body: String) async throws {
        var request = RawRequest.image(Data(), token: Self.token, headers: [(field, value)])
        request.body = Data(body.utf8)
        let (response, rest) = try await self.exchange(harness, request.bytes)
        let codes = field == "Content-Length" ? ["request_malformed"] : ["request_malformed", "body_truncated"]
        #expect(response?.status == 400)
        #expect(codes.contains(response?.code ?? ""), "\(response?.problem ?? "no answer")")
        #expect(rest == 0)
        #expect(try await self.isServed(harness))
    }

    @Test func `a body beyond the limit is refused by its length, before a byte of it`() async throws {
        let request = RawRequest.image(Data(), token: Self.token, headers: [("Content-Length", "1073741824")])
        let (response, _) = try await self.exchange(harness, request.bytes)
        #expect(response?.problem == "413 body_too_large")
    }

    @Test func `a body without an end is cut off at the limit, and others are served meanwhile`() async throws {
        try await ServerHarness.with({ $0.imageBytes = 1 << 20 }) { (harness) async throws in
            let request = RawRequest.image(Data(), token: Self.token, headers: [("Transfer-Encoding", "chunked")])
            let status = try await harness.connected { (connection) async throws -> Int? in
                try await connection.send(request.bytes)
                let chunk = Data("10000\r\n".utf8) + Specimen.jpeg(byteCount: 0x10000) + Data("\r\n".utf8)
                for number in 0..<16_384 {
                    do { try await connection.send(chunk) } catch { break }
                    if number == 20 { #expect(try await self.isServed(harness)) }
                }
                return try await connection.response()?.status
            }
            // The refusal may be lost to a client that never stops sending; the service must not.
            #expect(status == 413 || status == nil)
            #expect(try await harness.cards().isEmpty)
            #expect(try await self.isServed(harness))
        }
    }

    @Test func `a form of 10,000 parts is refused`() async throws {
        let part = (name: "user_no", filename: String?.none, bytes: Data("1".utf8))
        let many = (0..<10_000).map { _ in part }
        let response = try await harness.send(.form(many, token: Self.token))
        // The second of them is one too many already.
        #expect(response.code == "field_duplicate")
        let empty = (0..<10_000).map { _ in "--b\r\n\r\n\r\n" }.joined()
        let type = [("Content-Type", "multipart/form-data; boundary=b"), ("Authorization", "Bearer \(Self.token)")]
        let bare = try await harness.send(RawRequest("POST", "/v1/cards", headers: type, body: Data(empty.utf8)))
        #expect(bare.problem == "400 form_malformed")
    }

    private static let forms: [(what: String, boundary: String, body: String, problem: String)] = [
        ("header lines", "b", "--b\r\n" + String(repeating: "X-Flood: a\r\n", count: 10_000), "413 form_too_large"),
        ("a preamble", "b", String(repeating: "flood\r\n", count: 100_000) + "--b", "413 form_too_large"),
        (
            "a text",
            "b",
            "--b\r\nContent-Disposition: form-data; name=\"user_no\"\r\n\r\n" + String(repeating: "1", count: 1 << 20),
            "422 field_invalid"
        ),
        ("a boundary", String(repeating: "b", count: 10_000), "", "400 form_malformed"),
    ]

    @Test func `a form with more of anything than belongs in one is refused as what it is`() async throws {
        for form in Self.forms {
            let type = "multipart/form-data; boundary=\(form.boundary)"
            let response = try await harness.send(.image(Data(form.body.utf8), token: Self.token, type: type))
            #expect(response.problem == form.problem, "\(form.what)")
        }
    }

    @Test func `requests one behind the other on a connection are answered in their order`() async throws {
        let requests = [
            RawRequest("GET", "/healthz"), .image(Specimen.jpeg(), token: Self.token), RawRequest("GET", "/none"),
            RawRequest("GET", "/healthz"),
        ]
        let statuses = try await harness.connected { (connection) async throws -> [Int?] in
            try await connection.send(requests.map(\.bytes).reduce(Data(), +))
            var statuses: [Int?] = []
            for _ in requests { statuses.append(try await connection.response()?.status) }
            return statuses
        }
        #expect(statuses == [200, 202, 404, 200])
    }

    @Test func `what follows a request that ended the connection is not answered`() async throws {
        var request = RawRequest.image(Data(), token: "wrong", headers: [("Content-Length", "100")])
        request.body = RawRequest("GET", "/healthz").bytes
        let (response, rest) = try await self.exchange(harness, request.bytes + RawRequest("GET", "/healthz").bytes)
        #expect(response?.status == 401)
        #expect(rest == 0)
    }

    @Test(arguments: [
        "Connection: close\r\n", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n", "Host: b\r\n",
    ])
    func `a request that ends its connection is the last one that is answered`(fields: String) async throws {
        let plain = RawRequest("GET", "/healthz").bytes
        let last = Data("GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        let isRefused = fields.hasPrefix("Host")
        try await harness.connected { (connection) async throws in
            try await connection.send(plain + plain + last + plain)
            var closes: [String?] = []
            for _ in 0..<(isRefused ? 2 : 3) {
                let response = try await connection.response()
                #expect(response?.status == 200)
                closes.append(response?["connection"])
            }
            #expect(closes.dropLast().allSatisfy { $0 == nil } && closes.last == "close")
            #expect(try await connection.end() == 0)
        }
    }

    @Test func `a client of HTTP/1.0 has the connection closed after the answer`() async throws {
        let (response, rest) = try await self.exchange(harness, Data("GET /healthz HTTP/1.0\r\n\r\n".utf8))
        #expect(response?.status == 200)
        #expect(response?["connection"] == "close")
        #expect(rest == 0)
    }

    @Test func `a target in absolute form is taken`() async throws {
        #expect(try await harness.send(RawRequest("GET", "http://localhost/healthz")).status == 200)
    }
}

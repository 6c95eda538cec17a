import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// Makes a form with a file part of so many bytes.
func makeForm(fileBytes: Int = 3000) throws -> MultipartForm {
    // A pattern whose length is prime: bytes that are lost or doubled show.
    let pattern = Data((0..<251).map { UInt8($0) })
    var file = pattern
    while file.count < fileBytes { file += file }
    let parts: [MultipartForm.Part] = [
        .text("canary-secret-5d1f", name: "api_secret"),
        .file(.bytes(file.prefix(fileBytes)), name: "image", filename: "idcard.jpg", contentType: "image/jpeg"),
    ]
    return try MultipartForm(parts: parts, boundary: .derived(from: "8e03978e-40d5", absentFrom: parts))
}

/// Runs a test with a client that is shut down afterwards.
func withClient<Value>(
    _ configuration: OutboundHTTPClient.Configuration = .init(),
    run: (OutboundHTTPClient) async throws -> Value
) async throws -> Value {
    var configuration = configuration
    // A busy machine may take longer than a service may; a test that sets its own time keeps it.
    let usual = OutboundHTTPClient.Configuration()
    if configuration.connectTimeout == usual.connectTimeout { configuration.connectTimeout = .seconds(20) }
    if configuration.poolTimeout == usual.poolTimeout { configuration.poolTimeout = .seconds(20) }
    // 2024-01-01T00:00:00Z
    let client = OutboundHTTPClient(configuration: configuration) {
        Timestamp(millisecondsSinceEpoch: 1_704_067_200_000)
    }
    do {
        let value = try await run(client)
        await client.shutdown()
        return value
    } catch {
        await client.shutdown()
        throw error
    }
}

extension OutboundHTTPClient.Configuration {
    /// Keeps connections for as long as a busy machine may pause between two requests of a test.
    static var patient: Self {
        var configuration = Self()
        configuration.poolIdleTimeout = .seconds(60)
        return configuration
    }
}

/// Posts one form to a port of loopback.
func post(
    _ form: MultipartForm,
    port: Int,
    with client: OutboundHTTPClient,
    headers: [(name: String, value: String)] = [],
    deadline: Duration = .seconds(20)
) async throws -> HTTPExchange {
    let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/upload?key=canary-query")
    return await client.post(form, to: endpoint, headers: headers, deadline: deadline)
}

extension HTTPExchange {
    /// The reply, if this is one.
    var reply: HTTPReply? { if case .reply(let reply) = self { reply } else { nil } }
    /// The failure, if this is one.
    var failure: HTTPFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// What comes back when everything goes well.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct OutboundHTTPClientTests {
    @Test("A reply is given with status, media type and body, and the announced length is the length received")
    func reply() async throws {
        let form = try makeForm(fileBytes: 300_001)
        let text = FaultReply("200 OK", headers: ["Content-Type: application/json; charset=utf-8"], body: #"{"a":1}"#)
        try await withFaultServer(.reply(text)) { server, port in
            let exchange = try await withClient {
                try await post(form, port: port, with: $0, headers: [(name: "Idempotency-Key", value: #""k""#)])
            }
            let reply = try #require(exchange.reply)
            #expect(reply.status == 200)
            #expect(reply.mediaType == "application/json")
            #expect(String(decoding: reply.body, as: UTF8.self) == #"{"a":1}"#)
            #expect(reply.isComplete)
            let received = try #require(server.received.first)
            #expect(received.head.hasPrefix("POST /upload?key=canary-query HTTP/1.1\r\n"))
            #expect(received.announcedLength == received.body.count)
            #expect(UInt64(received.body.count) == form.contentLength)
            #expect(received.header("Content-Type") == form.contentType)
            #expect(received.header("Transfer-Encoding") == nil)
            #expect(received.header("Idempotency-Key") == #""k""#)
            #expect(received.header("User-Agent") == "idcard-pipeline")
        }
    }

    @Test("The same form is sent twice with the same bytes, over one connection")
    func identicalBytes() async throws {
        let form = try makeForm(fileBytes: 200_000)
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let statuses = try await withClient(.patient) { client in
                let first = try await post(form, port: port, with: client).reply?.status
                let second = try await post(form, port: port, with: client).reply?.status
                return [first, second]
            }
            #expect(statuses == [200, 200])
            let received = server.received
            #expect(received.count == 2)
            #expect(received[0].body == received[1].body)
            #expect(received[0].head == received[1].head)
            #expect(server.connections == 1)
        }
    }

    @Test(
        "The parts of a file and of memory arrive as the form's reader yields them",
        arguments: [0, 1, 65_536, 1_000_003]
    )
    func fileParts(size: Int) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "outbound-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: path)
        let form = try MultipartForm(
            parts: [
                .text("before", name: "first"),
                .file(
                    .file(path: path.path, length: UInt64(size)),
                    name: "f",
                    filename: "f.bin",
                    contentType: "application/octet-stream"
                ),
            ],
            boundary: Boundary("file-parts")
        )
        var reader = try form.makeReader()
        var expected: [UInt8] = []
        while let chunk = try reader.read() { expected += chunk }
        try await withFaultServer(.reply(FaultReply("204 No Content"))) { server, port in
            let exchange = try await withClient { try await post(form, port: port, with: $0) }
            #expect(exchange.reply?.status == 204)
            #expect(server.received.first?.body == expected)
        }
    }

    @Test("A redirect is reported, not followed")
    func redirect() async throws {
        let text = FaultReply("307 Temporary Redirect", headers: ["Location: /elsewhere"])
        try await withFaultServer(.reply(text)) { server, port in
            let exchange = try await withClient { try await post(makeForm(), port: port, with: $0) }
            #expect(exchange.reply?.status == 307)
            #expect(server.received.count == 1)
        }
    }

    @Test(
        "Retry-After is read in both forms",
        arguments: [("120", Duration.seconds(120)), ("Mon, 01 Jan 2024 00:01:30 GMT", .seconds(90))]
    )
    func retryAfter(value: String, expected: Duration) async throws {
        let text = FaultReply("503 Service Unavailable", headers: ["Retry-After: \(value)"], body: "busy")
        try await withFaultServer(.reply(text)) { _, port in
            let exchange = try await withClient { try await post(makeForm(), port: port, with: $0) }
            #expect(exchange.reply?.status == 503)
            #expect(exchange.reply?.retryAfter == expected)
        }
    }

    @Test("A reply that drips in byte by byte is read to its end")
    func drip() async throws {
        try await withFaultServer(.drip(FaultReply("200 OK", body: "slowly"))) { _, port in
            let exchange = try await withClient { try await post(makeForm(), port: port, with: $0) }
            #expect(exchange.reply.map { String(decoding: $0.body, as: UTF8.self) } == "slowly")
        }
    }

    @Test("Many forms of memory and files in turn leave no connection behind", arguments: [1, 4])
    func connectionsComeBack(limit: Int) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "outbound-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data(count: 70_000).write(to: path)
        let file = MultipartForm.Content.file(path: path.path, length: 70_000)
        let part = MultipartForm.Part.file(file, name: "f", filename: "f", contentType: "a/b")
        let forms = [try makeForm(fileBytes: 70_000), try MultipartForm(parts: [part], boundary: Boundary("b"))]
        var configuration = OutboundHTTPClient.Configuration.patient
        configuration.maximumConnectionsPerHost = limit
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let statuses = try await withClient(configuration) { client in
                try await withThrowingTaskGroup(of: [Int?].self) { group in
                    for _ in 0..<limit {
                        group.addTask {
                            var statuses: [Int?] = []
                            for index in 0..<100 {
                                let form = forms[index % forms.count]
                                statuses.append(try await post(form, port: port, with: client).reply?.status)
                            }
                            return statuses
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
            }
            #expect(statuses == [Int?](repeating: 200, count: limit * 100))
            #expect(server.connections <= limit)
        }
    }
}

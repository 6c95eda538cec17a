import AsyncHTTPClient
import Foundation
import IDCardEmbedded
import Logging
import NIOCore
import NIOHTTP1
import Testing

/// A form written by hand: not by the encoder the sender uses.
struct HandWrittenForm {
    struct Part {
        var name: String
        var filename: String?
        var type: String?
        var body: [UInt8]

        static func text(_ name: String, _ value: String) -> Part {
            Part(name: name, body: Array(value.utf8))
        }
    }

    /// The smallest thing that begins and ends like a JPEG.
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x0D, 0x0A, 0x2D, 0x2D, 0xFF, 0xD9]

    var boundary = "hand-written-7d3b"
    var parts: [Part]

    /// A front or back of layout `single`.
    static func single(
        token: String = "token-1",
        number: String = "B-1",
        isFront: Bool = true,
        image: [UInt8] = jpeg
    ) -> HandWrittenForm {
        HandWrittenForm(parts: [
            .text("TOKEN", token), .text("USERNO", "user-1"), .text("BUSINESSTYPE", "LOAN_APPLY"),
            .text("BUSINESSNO", number), .text("DOCTYPE", isFront ? "IDCARD_FRONT_APP" : "IDCARD_BACK_APP"),
            Part(
                name: "FILE",
                filename: isFront ? "IDFrontImage.jpg" : "IDBackImage.jpg",
                type: "image/jpeg",
                body: image
            ),
        ])
    }

    var contentType: String { "multipart/form-data; boundary=\(self.boundary)" }

    var body: [UInt8] {
        var result: [UInt8] = []
        for part in self.parts {
            result += Array("--\(self.boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8)
            if let filename = part.filename { result += Array("; filename=\"\(filename)\"".utf8) }
            if let type = part.type { result += Array("\r\nContent-Type: \(type)".utf8) }
            result += Array("\r\n\r\n".utf8) + part.body + Array("\r\n".utf8)
        }
        return result + Array("--\(self.boundary)--\r\n".utf8)
    }
}

/// Talks to a running backend over a socket.
struct BackendClient {
    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: Data

        /// The texts of the JSON object.
        var json: [String: String] {
            let object = try? JSONSerialization.jsonObject(with: self.body) as? [String: Any]
            return (object ?? [:]).mapValues { "\($0)" }
        }

        var retcode: String? { self.json["RETCODE"] }
        var code: String? { self.json["code"] }
        var isReplay: Bool { self.headers["idempotent-replayed"] == "true" }
    }

    let port: Int

    /// Sends a form; `key` is the header's value, quotes included.
    func upload(_ form: HandWrittenForm, key: String?, path: String = "/upload") async throws -> Answer {
        try await self.send(path, body: .bytes(ByteBuffer(bytes: form.body)), contentType: form.contentType, key: key)
    }

    func send(
        _ path: String,
        method: HTTPMethod = .POST,
        body: HTTPClientRequest.Body? = nil,
        contentType: String? = nil,
        key: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(self.port)\(path)")
        request.method = method
        request.body = body
        if let contentType { request.headers.add(name: "Content-Type", value: contentType) }
        if let key { request.headers.add(name: "Idempotency-Key", value: key) }
        return try await self.send(request)
    }

    func send(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 22)
        let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code),
            headers: Dictionary(headers) { first, _ in first },
            body: Data(body.readableBytesView)
        )
    }

    func get(_ path: String) async throws -> Answer {
        try await self.send(path, method: .GET)
    }
}

/// A folder for one backend, removed with the value.
final class BackendFolder: Sendable {
    let url: URL

    init() {
        self.url = FileManager.default.temporaryDirectory.appending(path: "embedded-backend-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// The lines of the ledger.
    func ledger() throws -> [LedgerEntry] {
        try Data(contentsOf: self.url.appending(path: "ledger.jsonl")).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(LedgerEntry.self, from: $0)
        }
    }

    /// The paths of all files below `documents`.
    func documents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self.url.appending(path: "documents").path)
            .filter { $0.hasSuffix(".jpg") || $0.contains(".part") }
            .sorted()
    }
}

/// Runs a backend while `body` talks to it.
func withBackend<Result: Sendable>(
    in folder: BackendFolder,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    configure: (inout EmbeddedBackend.Configuration) -> Void = { _ in },
    body: (BackendClient) async throws -> Result
) async throws -> Result {
    var configuration = EmbeddedBackend.Configuration(folder: folder.url.path)
    configure(&configuration)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let backend = EmbeddedBackend(configuration: configuration, logger: logger) { continuation.yield($0) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { continuation.finish() }
            try await backend.run()
        }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else {
            try await group.waitForAll()
            throw CancellationError()
        }
        let result = try await body(BackendClient(port: port))
        group.cancelAll()
        // The backend ends by being cancelled: that is how it is stopped here.
        while (try? await group.next()) != nil {}
        return result
    }
}

import AsyncHTTPClient
import Foundation
import IDCardEmbedded
import Logging
import NIOCore
import NIOHTTP1

/// Talks to a running verifier over a socket.
struct VerifierClient {
    struct Answer {
        let status: Int
        let contentType: String?
        let body: Data

        /// The JSON object, empty when the body is none.
        var json: [String: Any] {
            let object = try? JSONSerialization.jsonObject(with: self.body) as? [String: Any]
            return object ?? [:]
        }

        /// The error string, under the key of a dialect.
        func error(_ dialect: EmbeddedVerifier.Dialect) -> String? {
            self.json[dialect == .faceIDv3 ? "error" : "error_message"] as? String
        }

        var error: String? { self.error(.faceIDv1) }
        var text: String { String(decoding: self.body, as: UTF8.self) }
    }

    let port: Int

    func post(_ form: HandWrittenForm, to dialect: EmbeddedVerifier.Dialect = .faceIDv1) async throws -> Answer {
        try await self.send(dialect.path, body: .bytes(ByteBuffer(bytes: form.body)), contentType: form.contentType)
    }

    func send(
        _ path: String = EmbeddedVerifier.Dialect.faceIDv1.path,
        method: HTTPMethod = .POST,
        body: HTTPClientRequest.Body? = nil,
        contentType: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(self.port)\(path)")
        request.method = method
        request.body = body
        if let contentType { request.headers.add(name: "Content-Type", value: contentType) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let collected = try await response.body.collect(upTo: 1 << 20)
        return Answer(
            status: Int(response.status.code),
            contentType: response.headers.first(name: "Content-Type"),
            body: Data(collected.readableBytesView)
        )
    }
}

extension HandWrittenForm {
    /// A request for a reading.
    static func reading(
        key: String = "test-key",
        secret: String = "test-secret",
        image: [UInt8]? = jpeg,
        filename: String? = "card.bin",
        legality: String? = nil,
        in dialect: EmbeddedVerifier.Dialect = .faceIDv1
    ) -> HandWrittenForm {
        var form = HandWrittenForm(parts: [.text("api_key", key), .text("api_secret", secret)])
        if let legality { form.parts.append(.text("legality", legality)) }
        if let image {
            let name = dialect == .faceppv1 ? "image_file" : "image"
            form.parts.append(Part(name: name, filename: filename, type: "application/octet-stream", body: image))
        }
        return form
    }

    func with(_ name: String, _ value: String) -> HandWrittenForm {
        var copy = self
        copy.parts.insert(.text(name, value), at: 0)
        return copy
    }

    func without(_ name: String) -> HandWrittenForm {
        var copy = self
        copy.parts.removeAll { $0.name == name }
        return copy
    }
}

/// Runs a verifier while `body` talks to it.
func withVerifier<Result: Sendable>(
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    now: Date = Date(timeIntervalSince1970: 1_457_432_550),
    configure: (inout EmbeddedVerifier.Configuration) -> Void = { _ in },
    body: (VerifierClient) async throws -> Result
) async throws -> Result {
    var configuration = EmbeddedVerifier.Configuration(secrets: ["test-key": "test-secret"])
    configure(&configuration)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let verifier = EmbeddedVerifier(configuration: configuration, logger: logger, now: { now }) {
        continuation.yield($0)
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { continuation.finish() }
            try await verifier.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await group.waitForAll()
            throw CancellationError()
        }
        let result = try await body(VerifierClient(port: port))
        group.cancelAll()
        // The verifier ends by being cancelled: that is how it is stopped here.
        while (try? await group.next()) != nil {}
        return result
    }
}

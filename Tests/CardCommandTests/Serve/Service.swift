import Foundation
import FoundationNetworking
import Subprocess
import TestSupport
import Testing

/// A running `serve`, asked over its port.
struct Service {
    struct Answer {
        var status: Int
        var headers: [String: String]
        var text: String

        subscript(key: String) -> String? { self.object[key] as? String }

        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.text.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// Such as `http://127.0.0.1:4711`.
    let address: String
    let errors: ErrorLines

    init(_ errors: ErrorLines) async throws {
        self.errors = errors
        let line = try #require(try await errors.line(containing: "listening on "), "\(errors.seen)")
        self.address = String(try #require(line.firstMatch(of: /listening on ([^;]+);/)).1)
    }

    var port: Int { self.address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    func send(
        _ method: String,
        _ path: String,
        token: String? = nil,
        headers: [String: String] = [:],
        body: Data? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: self.address + path)))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        let fields = answer.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
        return Answer(
            status: answer.statusCode,
            headers: Dictionary(fields) { first, _ in first },
            text: String(decoding: data, as: UTF8.self)
        )
    }

    func submit(
        _ photo: MarkedPhoto,
        token: String,
        key: String? = nil,
        fields: [String: String] = [:],
        filename: String = "a.jpg"
    ) async throws -> Answer {
        let texts = fields.merging(["business_no": "R-1"], uniquingKeysWith: { own, _ in own })
        var form = HandWrittenForm(parts: texts.map { .text($0.key, $0.value) })
        form.parts.append(.init(name: "image", filename: filename, body: Array(photo.jpeg)))
        var headers = ["Content-Type": form.contentType]
        headers["Idempotency-Key"] = key.map { "\"\($0)\"" }
        return try await self.send("POST", "/v1/cards", token: token, headers: headers, body: form.body)
    }

    /// Asks for a path over TLS, and returns the subject of the certificate and the status line.
    func sendOverTLS(_ path: String, token: String) async throws -> (subject: String, status: Int) {
        let request =
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
        let result = try await Subprocess.run(
            .name("openssl"),
            arguments: ["s_client", "-connect", "127.0.0.1:\(self.port)", "-ign_eof"],
            input: .string(request),
            output: .string(limit: 1 << 20),
            error: .discarded
        )
        let output = result.standardOutput
        let subject = try #require(output.firstMatch(of: /subject=.*CN ?= ?SPECIMEN ([a-z]+)/), "\(output)").1
        let status = try #require(output.firstMatch(of: /HTTP\/1\.1 ([0-9]{3})/), "\(output)").1
        return (String(subject), try #require(Int(status)))
    }
}

extension Tool {
    func token(_ name: String, _ scopes: String...) async throws -> String {
        let outcome = try await self.run(["tokens", "add", name, "--scope"] + scopes)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Serves on a free port while a function asks and sends signals; has it end in order then, if it is to end so.
    ///
    /// - Returns: what it said.
    @discardableResult
    func serve(
        _ arguments: [String],
        _ variables: [String: String] = [:],
        ends expected: Int32 = 143,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (_ service: Service, _ send: @escaping (Signal) throws -> Void) async throws -> Void
    ) async throws -> [String] {
        var said: [String] = []
        let status = try await self.running(["serve", "--listen", "127.0.0.1:0"] + arguments, variables) {
            errors,
            send in
            try await body(Service(errors), send)
            if expected == 143 { try send(.terminate) }
            while try await errors.next() != nil {}
            said = errors.seen
        }
        #expect(status == expected, "\(said)", sourceLocation: sourceLocation)
        return said
    }
}

import Foundation
import TestSupport

/// What an endpoint answered.
struct Answer: Sendable {
    let status: Int
    /// By names in lower case.
    let headers: [String: String]
    let body: Data

    /// The JSON object; empty when the body is none.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: self.body)) as? [String: Any] ?? [:] }
    var text: String { String(decoding: self.body, as: UTF8.self) }
    /// The business code.
    var retcode: String? { self.json["RETCODE"] as? String }
    /// The codes of `ITEMS`.
    var itemCodes: [String]? { (self.json["ITEMS"] as? [[String: Any]])?.map { $0["RETCODE"] as? String ?? "" } }
    /// The code of problem details.
    var code: String? { self.json["code"] as? String }
    var isReplay: Bool { self.headers["idempotent-replayed"] == "true" }
}

extension LoopbackSocket {
    /// Reads one response whose length is declared.
    func receive() async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: many at once would take all of Dispatch's, which the database works on.
            Thread.detachNewThread { continuation.resume(with: Result { try self.response() }) }
        }
    }

    private func response() throws -> Answer {
        var bytes = Data()
        while true {
            if let head = bytes.range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
                }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                if bytes.count >= head.upperBound + length {
                    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
                    let body = bytes[head.upperBound..<head.upperBound + length]
                    return Answer(status: status, headers: headers, body: Data(body))
                }
            }
            bytes += try self.receiveBytes()
        }
    }
}

/// Talks to a running endpoint, each request over a connection of its own.
struct EndpointClient: Sendable {
    let port: Int

    static func head(_ method: String, _ path: String, _ headers: [(String, String)], length: Int) -> [UInt8] {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        return Array("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(lines)Content-Length: \(length)\r\n\r\n".utf8)
    }

    func send(
        _ method: String = "POST",
        _ path: String,
        headers: [(String, String)] = [],
        body: [UInt8] = []
    ) async throws -> Answer {
        let connection = try LoopbackSocket(port: self.port)
        try connection.send(Self.head(method, path, headers, length: body.count))
        // A refusal may come, and the connection end, before the body is sent.
        try? connection.send(body)
        return try await connection.receive()
    }

    func get(_ path: String) async throws -> Answer { try await self.send("GET", path) }

    /// Sends a form to the backend; `key` is the header's value, quotes included.
    func upload(_ form: HandWrittenForm, key: String?) async throws -> Answer {
        try await self.send("/upload", form, key: key)
    }

    func send(_ path: String, _ form: HandWrittenForm, key: String? = nil) async throws -> Answer {
        let keyed = key.map { [("Idempotency-Key", $0)] } ?? []
        return try await self.send("POST", path, headers: [("Content-Type", form.contentType)] + keyed, body: form.body)
    }

    /// Waits until so many uploads are under way.
    func waitForRunning(_ count: Int) async throws {
        while try await self.get("/healthz").json["running"] as? Int != count { await Task.yield() }
    }
}

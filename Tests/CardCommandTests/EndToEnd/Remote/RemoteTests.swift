import Foundation
import Synchronization
import TestSupport
import Testing

/// `run` against endpoints over HTTP.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RemoteTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    /// The arguments that name endpoints of which none answers.
    private func nobody(at port: RefusingPort, path: String = "/") throws -> [String] {
        let address = "http://127.0.0.1:\(port.port)"
        return try RemoteConfiguration(others: ["run: {patience: 1s}"])
            .write(for: self.tool, verifier: address + path, backend: address)
    }

    @Test func `a parent that ignores the ends of its children keeps no command from being waited for`() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let key = try self.tool.secretFile("command.key", Tool.randomKey())
        let script = """
            import os, signal, sys
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        try await self.tool.run(
            ["run", try self.tool.pairs().path] + self.nobody(at: port),
            ["IDCARD_VAULT_KEY_COMMAND": "cat '\(key.path)'"],
            wrapper: ["/usr/bin/python3", "-c", script],
            ends: 75
        )
    }

    @Test func `the advice names the address that does not answer, without the secrets of its query`() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let command = ["run", try self.tool.pairs().path, "--format", "json"]
        let outcome = try await self.tool.run(command + self.nobody(at: port, path: "/ocr?key=canary"), ends: 75)
        #expect(
            outcome.errors.contains(
                "at http://127.0.0.1:\(port.port)/ocr: 127.0.0.1:\(port.port) refused the connection"
            )
        )
        #expect(!(outcome.output + outcome.errors).contains("canary"))
        #expect(try outcome.json().counts["prepared"] == 2)
    }

    @Test func `a backend that asks for a new TOKEN stops delivery with 69; with that it completes`() async throws {
        let command = ["run", try self.tool.pairs().path, "--format", "json"]
        let options = ["--token", "token-a", "--token", "token-b", "--expire-token-after", "1"]
        try await self.tool.servingBoth(backend: options) { file in
            let first = try await self.tool.run(command + file, ends: 69)
            #expect(try first.json().counts["delivered"] == 1)
            try await self.tool.run(command + file, ["IDCARD_DELIVERY_TOKEN": "token-b"], ends: 0)
        }
        let accepted = try self.tool.ledger().filter { $0.retcode == "000000" }
        #expect(accepted.map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test func `a photo that was retaken at its address counts as the card that it became`() async throws {
        let photo = Mutex(MarkedPhoto.front(1))
        let verifier = MarkVerifier { photo in photo.serial < 2 ? nil : MarkDialect.faceIDv1.answer(about: nil) }
        let host = FaultServer { _, _ in
            .answer { _ in
                let jpeg = photo.withLock(\.jpeg)
                return FaultReply(raw: Array("HTTP/1.1 200 OK\r\nContent-Length: \(jpeg.count)\r\n\r\n".utf8) + jpeg)
            }
        }
        try await host.listening { port in
            let fetch = "{hosts: [127.0.0.1], allow_http: true, allow_addresses: [127.0.0.0/8], ports: [\(port)]}"
            let configuration = RemoteConfiguration(others: ["fetch: \(fetch)"])
            let list = try self.tool.secretFile("list.csv", "path,business_no\nhttp://127.0.0.1:\(port)/front,R-1\n")
            try await self.tool.servingBoth(with: configuration, verifier: verifier) { file in
                let command = ["run", "--manifest", list.path, "--format", "json"] + file
                func expect(_ state: String, ends status: Int32) async throws {
                    let outcome = try await self.tool.run(command, ends: status)
                    #expect(try outcome.json().counts[state] == 1, "\(state)")
                    #expect(outcome.errors.contains("nothing was sent") == (state == "duplicate"))
                }
                try await expect("delivered", ends: 0)
                try await expect("duplicate", ends: 0)
                photo.withLock { $0 = .front(1, serial: 1) }
                try await expect("delivered", ends: 0)
                photo.withLock { $0 = .front(1, serial: 2) }
                try await expect("rejected", ends: 1)
            }
        }
        #expect(try self.tool.ledger().count == 2)
    }
}

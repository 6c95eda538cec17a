import Foundation
import TestSupport
import Testing

@Suite(
    "idcard-pipeline run against endpoints over HTTP",
    .serialized,
    .timeLimit(.minutes(5))
)
struct RemoteTests {
    /// The variables for a verifier and a backend with these addresses.
    private func variables(verifier: String, backend: String, key: String = "the-key") -> [String: String] {
        [
            "IDCARD_VERIFICATION_URL": verifier, "IDCARD_VERIFICATION_API_KEY": key,
            "IDCARD_VERIFICATION_API_SECRET": "the-secret", "IDCARD_DELIVERY_URL": backend,
            "IDCARD_DELIVERY_TOKEN": "token-a", "IDCARD_DELIVERY_USER_NO": "U-1",
            // Longer than `run.patience`: a host that only fails ends the run, however slowly cards are read.
            "IDCARD_RETRY_BASE": "10ms", "IDCARD_RETRY_CAP": "100ms",
            "IDCARD_DELIVERY_RETCODE_TOKEN_EXPIRED": "100001,100002",
        ]
    }

    private func pair(_ tool: Tool) throws -> URL {
        try tool.folder("pair", ["R-1/front.jpg": .front(1), "R-1/back.jpg": .back(1)])
    }

    @Test("The advice names the address that does not answer, without its query, which may hold a secret")
    func shownAddress() async throws {
        let tool = try Tool()
        let port = try RefusingPort()
        defer { port.close() }
        let nobody = "http://127.0.0.1:\(port.port)"
        var variables = self.variables(verifier: nobody + "/ocr?key=canary", backend: nobody)
        variables["IDCARD_RUN_PATIENCE"] = "1s"
        let outcome = try await tool.run(["run", try self.pair(tool).path], variables)
        #expect(outcome.status == 75, "\(outcome.errors)")
        #expect(outcome.errors.contains("at \(nobody)/ocr does not take cards"))
        #expect(!(outcome.output + outcome.errors).contains("canary"))
    }

    @Test(
        "A verifier that refuses connections ends with 75, a wrong key with 69; nothing is lost, the right ones complete"
    )
    func stopsAndGoesOn() async throws {
        let tool = try Tool()
        let pair = try self.pair(tool)
        let documents = tool.home.appending(path: "documents")
        let command = ["run", pair.path, "--format", "json"]
        try await tool.serving(["backend", "--documents", documents.path, "--token", "token-a"]) { backend in
            let port = try RefusingPort()
            defer { port.close() }
            let nobody = "http://127.0.0.1:\(port.port)"
            var variables = self.variables(verifier: nobody, backend: backend)
            variables["IDCARD_RUN_PATIENCE"] = "2s"
            let refused = try await tool.run(command, variables)
            #expect(refused.status == 75, "\(refused.errors)")
            #expect(try refused.json().counts["prepared"] == 2)
            try await MarkVerifier().serving { verifier in
                let wrong = self.variables(verifier: verifier, backend: backend, key: "wrong-key")
                let stopped = try await tool.run(command, wrong)
                #expect(stopped.status == 69, "\(stopped.errors)")
                #expect(stopped.errors.contains("AUTHENTICATION_ERROR"))
                let status = try await tool.run(["status", "--format", "json"], wrong)
                #expect(status.output.contains("AUTHENTICATION_ERROR"))
                let list = try await tool.run(["cards", "list"], wrong)
                #expect(list.output.split(separator: "\n").allSatisfy { $0.contains("prepared") })
                let right = try await tool.run(command, self.variables(verifier: verifier, backend: backend))
                #expect(right.status == 0, "\(right.errors)")
                #expect(try right.json().counts["delivered"] == 2)
            }
        }
        #expect(
            try tool.lines("ledger.jsonl", in: documents).map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"]
        )
    }

    @Test("A backend that asks for a new TOKEN stops delivery with 69; with the new TOKEN it completes")
    func newToken() async throws {
        let tool = try Tool()
        let pair = try self.pair(tool)
        let documents = tool.home.appending(path: "documents")
        let command = ["run", pair.path, "--format", "json"]
        let tokens = ["--token", "token-a", "--token", "token-b"]
        try await tool.serving(["backend", "--documents", documents.path, "--expire-token-after", "1"] + tokens) {
            backend in
            try await MarkVerifier().serving { verifier in
                var variables = self.variables(verifier: verifier, backend: backend)
                let first = try await tool.run(command, variables)
                #expect(first.status == 69, "\(first.errors)")
                #expect(try first.json().counts["delivered"] == 1)
                variables["IDCARD_DELIVERY_TOKEN"] = "token-b"
                let second = try await tool.run(command, variables)
                #expect(second.status == 0, "\(second.output) \(second.errors)")
            }
        }
        let ledger = try tool.lines("ledger.jsonl", in: documents)
        #expect(ledger.filter { $0.retcode == "000000" }.map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test("An embedded sandbox is refused to real endpoints, and the other way round")
    func mixing() async throws {
        let tool = try Tool()
        let sandbox = tool.home.appending(path: "sandbox").path
        let pair = try self.pair(tool)
        let port = try RefusingPort()
        defer { port.close() }
        let nobody = "http://127.0.0.1:\(port.port)"
        var real = self.variables(verifier: nobody, backend: nobody)
        real["IDCARD_RUN_PATIENCE"] = "2s"
        #expect(try await tool.run(["run", pair.path, "--sandbox", sandbox], real).status == 75)
        let mixed = try await tool.run(["run", pair.path, "--sandbox", sandbox, "--embedded"])
        #expect(mixed.status == 78)
        #expect(mixed.errors.contains("sandbox"))
    }
}

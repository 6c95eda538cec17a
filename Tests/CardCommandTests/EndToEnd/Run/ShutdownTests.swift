import Foundation
import Subprocess
import TestSupport
import Testing

/// The built command, told to end while an endpoint keeps it waiting.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ShutdownTests {
    private let tool: Tool
    private let backend = ScriptedBackend()
    /// Where the backend waits before it answers.
    private let acceptances = Gate()

    init() throws {
        self.tool = try Tool()
    }

    /// Serves both endpoints for as long as a function runs, which is given a command that runs over a front.
    private func serving(
        _ others: [String] = [],
        delivery: [String] = [],
        _ body: (_ command: [String]) async throws -> Void
    ) async throws {
        self.backend.answer { [acceptances] _ in await acceptances.wait() }
        let photos = try self.tool.folder("photos", ["S-1/front.jpg": .front(1)])
        let configuration = RemoteConfiguration(more: delivery, others: others)
        try await self.tool.serving(MarkVerifier(), self.backend, configuration) { file in
            try await body(["run", photos.path] + file)
        }
    }

    @Test(
        "A delivery that is silent after the shutdown timeout is cut off, and sent again byte for byte or held and told",
        arguments: [("resend", "delivering", 130), ("hold", "held", 1)] as [(String, String, Int32)]
    )
    func cutOff(onUnknown: String, state: String, status: Int32) async throws {
        let others = ["run: {shutdown_timeout: 200ms}", "log: {level: debug, format: json}"]
        try await self.serving(others, delivery: ["on_unknown: \(onUnknown)"]) { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.acceptances.arrival()
                try signal(.interrupt)
                #expect(try await errors.line(containing: "finishing 1 request, for at most 200 milliseconds") != nil)
                guard state == "held" else {
                    #expect(try await errors.line(containing: "1 card is kept in the sandbox") != nil)
                    return
                }
                let line = try await errors.line(containing: "\"card.reason\":\"outcome_unknown\"")
                #expect(line?.contains("\"card.state\":\"held\"") == true)
            }
            #expect(outcome == status)
            #expect(try await self.tool.run(["cards", "list"]).output.contains(state))
            self.acceptances.open()
            try await self.tool.run(command, ends: state == "held" ? 1 : 0)
            #expect(self.backend.requests.count == (state == "held" ? 1 : 2))
            #expect(Set(self.backend.requests.map(\.body)).count == 1)
        }
    }

    @Test func `a second signal ends the process at once, and nothing is lost`() async throws {
        try await self.serving { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.acceptances.arrival()
                try signal(.terminate)
                #expect(try await errors.line(containing: "send the signal again to stop") != nil)
                try signal(.terminate)
            }
            #expect(outcome == 128 + 15)
            #expect(try await self.tool.run(["cards", "list"]).output.contains("delivering"))
            self.acceptances.open()
            try await self.tool.run(command, ends: 0)
            #expect(Set(self.backend.requests.map(\.body)).count == 1)
        }
    }
}

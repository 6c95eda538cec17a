import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The built command, told to end while an endpoint keeps it waiting.
@Suite("idcard-pipeline run told to end", .serialized, .timeLimit(.minutes(5)))
struct ShutdownTests {
    private let tool: Tool
    private let verifier = MarkVerifier()
    private let backend = ScriptedBackend()
    /// Where the verifier waits before it answers.
    private let readings = Gate()
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
        self.verifier.answer { [readings] _ in await readings.wait() }
        self.backend.answer { [acceptances] _ in await acceptances.wait() }
        let photos = try self.tool.folder("photos", ["S-1/front.jpg": .front(1)])
        var configuration = RemoteConfiguration(others: others)
        configuration.delivery += delivery
        try await self.tool.serving(self.verifier, self.backend, configuration) { file in
            try await body(["run", photos.path] + file)
        }
    }

    /// What `cards show` prints, as far as it matters here.
    private struct Shown: Decodable {
        struct Card: Decodable {
            var state: String
        }

        var card: Card
        var attempts: Int
    }

    /// The states of all cards with the attempts spent in them: `verified 0`.
    private func states() async throws -> [String] {
        var states: [String] = []
        for id in try await self.tool.run(["cards", "list", "--quiet"]).output.split(separator: "\n") {
            let show = try await self.tool.run(["cards", "show", String(id), "--format", "json"])
            let card = try JSONDecoder().decode(Shown.self, from: Data(show.output.utf8))
            states.append("\(card.card.state) \(card.attempts)")
        }
        return states
    }

    @Test("SIGTERM lets the request under way finish, and says so; the next run goes on without paying again")
    func finishes() async throws {
        try await self.serving { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.readings.arrival()
                try signal(.terminate)
                #expect(try await errors.line(containing: "interrupted: finishing 1 request, up to 20s") != nil)
                self.readings.open()
            }
            #expect(outcome == 143)
            #expect(try await self.states() == ["verified 0"])
            #expect(self.backend.requests.isEmpty)
            self.acceptances.open()
            #expect(try await self.tool.run(command).status == 0)
            #expect(self.verifier.photos.count == 1)
            #expect(self.backend.requests.count == 1)
        }
    }

    @Test("A delivery that is still silent after the shutdown timeout is cut off, and sent again byte for byte")
    func cutOff() async throws {
        self.readings.open()
        try await self.serving(["run: {shutdown_timeout: 200ms}"]) { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.acceptances.arrival()
                try signal(.interrupt)
                #expect(try await errors.line(containing: "finishing 1 request, up to 200ms") != nil)
                #expect(try await errors.line(containing: "1 card kept in the sandbox to go on with") != nil)
            }
            #expect(outcome == 130)
            #expect(try await self.states() == ["delivering 0"])
            self.acceptances.open()
            #expect(try await self.tool.run(command).status == 0)
            #expect(self.backend.requests.count == 2)
            #expect(Set(self.backend.requests.map(\.body)).count == 1)
        }
    }

    @Test("A card that is held because its delivery was cut off is told like any other")
    func holds() async throws {
        self.readings.open()
        let others = ["run: {shutdown_timeout: 200ms}", "log: {level: debug, format: json}"]
        try await self.serving(others, delivery: ["on_unknown: hold"]) { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.acceptances.arrival()
                try signal(.interrupt)
                let line = try await errors.line(containing: "\"card.reason\":\"outcome_unknown\"")
                #expect(line?.contains("\"card.state\":\"held\"") == true)
            }
            #expect(outcome == 1)
        }
    }

    @Test("A second signal ends the process at once, and nothing is lost")
    func secondSignal() async throws {
        self.readings.open()
        try await self.serving { command in
            let outcome = try await self.tool.running(command) { errors, signal in
                await self.acceptances.arrival()
                try signal(.terminate)
                #expect(try await errors.line(containing: "signal again to stop at once") != nil)
                try signal(.terminate)
            }
            #expect(outcome == 128 + 15)
            #expect(try await self.states() == ["delivering 0"])
            self.acceptances.open()
            try await self.tool.run(command, ends: 0)
            #expect(Set(self.backend.requests.map(\.body)).count == 1)
        }
    }
}

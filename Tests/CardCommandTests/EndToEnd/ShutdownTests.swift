import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The built command, told to end while an endpoint keeps it waiting.
@Suite("idcard-pipeline run told to end", .serialized, .timeLimit(.minutes(5)))
struct ShutdownTests {
    private static let reading =
        #"{"request_id":"r","time_used":1,"side":"front","name":"样本甲","gender":"男","race":"汉","#
        + #""address":"样本省样本市样本路1号","id_card_number":"110101199003070011","#
        + #""birthday":{"year":"1990","month":"3","day":"7"},"#
        + #""legality":{"Edited":0.001,"Photocopy":0.0,"ID Photo":0.95,"Screen":0.0,"Temporary ID Photo":0.04}}"#
    private static let accepted = #"{"RETCODE":"000000","RETMSG":"ok"}"#

    private let tool: Tool
    private let verifier: HeldServer
    private let backend: HeldServer

    init() throws {
        self.tool = try Tool()
        self.verifier = try HeldServer { _ in Self.reading }
        self.backend = try HeldServer { _ in Self.accepted }
    }

    private func arguments(_ others: [String] = []) throws -> [String] {
        let file = try RemoteConfiguration(others: others)
            .write(for: self.tool, verifier: self.verifier.url, backend: self.backend.url)
        let photos = self.tool.home.appending(path: "photos")
        if !FileManager.default.fileExists(atPath: photos.path) {
            _ = try self.tool.folder("photos", ["S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"])
        }
        return ["run", photos.path] + file
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
        let command = try self.arguments()
        let outcome = try await self.tool.running(command) { errors, signal in
            await self.verifier.arrival()
            try signal(.terminate)
            #expect(try await errors.line(containing: "interrupted: finishing 1 request, up to 20s") != nil)
            self.verifier.release()
        }
        #expect(outcome == 143)
        #expect(try await self.states() == ["verified 0"])
        #expect(self.backend.requests.isEmpty)
        self.backend.release()
        #expect(try await self.tool.run(command).status == 0)
        #expect(self.verifier.requests.count == 1)
        #expect(self.backend.requests.count == 1)
    }

    @Test("A delivery that is still silent after the shutdown timeout is cut off, and sent again byte for byte")
    func cutOff() async throws {
        let command = try self.arguments(["run: {shutdown_timeout: 200ms}"])
        self.verifier.release()
        let outcome = try await self.tool.running(command) { errors, signal in
            await self.backend.arrival()
            try signal(.interrupt)
            #expect(try await errors.line(containing: "finishing 1 request, up to 200ms") != nil)
            #expect(try await errors.line(containing: "1 card kept in the sandbox to go on with") != nil)
        }
        #expect(outcome == 130)
        #expect(try await self.states() == ["delivering 0"])
        self.backend.release()
        #expect(try await self.tool.run(command).status == 0)
        #expect(self.backend.requests.count == 2)
        #expect(Set(self.backend.requests.map(Self.content)).count == 1)
    }

    @Test("A second signal ends the process at once, and nothing is lost")
    func secondSignal() async throws {
        let command = try self.arguments()
        self.verifier.release()
        let outcome = try await self.tool.running(command) { errors, signal in
            await self.backend.arrival()
            try signal(.terminate)
            #expect(try await errors.line(containing: "signal again to stop at once") != nil)
            try signal(.terminate)
        }
        #expect(outcome == 128 + 15)
        #expect(try await self.states() == ["delivering 0"])
        self.backend.release()
        let last = try await self.tool.run(command)
        #expect(last.status == 0, "\(last.errors)")
        #expect(Set(self.backend.requests.map(Self.content)).count == 1)
    }

    /// A request without the headers of the connection.
    private static func content(_ request: Data) -> Data {
        guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return request }
        return Data(request[end.upperBound...])
    }
}

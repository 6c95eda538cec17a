import Foundation
import Subprocess
import TestSupport
import Testing

/// Backs whose front is known to another command: refused, or still to be taken in.
@Suite("Fronts before backs, across commands", .serialized, .timeLimit(.minutes(5)))
struct FrontOrderTests {
    private static let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")

    private func configuration(
        _ tool: Tool,
        _ verifier: String,
        _ backend: String,
        delivery: [String]
    ) throws -> [String] {
        var configuration = RemoteConfiguration()
        configuration.delivery += delivery
        configuration.others = ["run: {patience: 2s}"]
        return try configuration.write(for: tool, verifier: verifier, backend: backend)
    }

    @Test(
        "A front that was refused keeps its back in every later run, until it is taken in",
        arguments: ["single", "application", "batch"]
    )
    func refusedFront(layout: String) async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        let sidecar = photos.appending(path: "R-1/front.jpg.json")
        try Data("{".utf8).write(to: sidecar)
        try await tool.servingBoth { verifier, backend in
            let file = try self.configuration(
                tool,
                verifier,
                backend,
                delivery: ["layout: \(layout)", "batch_wait: 0s"]
            )
            let first = try await tool.run(["run", photos.path] + file)
            #expect(first.status == 1, "\(first.output) \(first.errors)")
            for _ in 1...2 {
                let pathless = try await tool.run(["run"] + file)
                #expect(pathless.status == 1, "\(pathless.output) \(pathless.errors)")
                #expect(pathless.output.contains("front_missing"), "\(pathless.output)")
            }
            let status = try await tool.run(["status"] + file)
            #expect(status.output.contains("1 need a person") && status.output.contains("front_missing"))
            #expect(try tool.ledger() == [], "the back was sent alone")
            try FileManager.default.removeItem(at: sidecar)
            let last = try await tool.run(["run", photos.path] + file)
            #expect(last.status == 0, "\(last.output) \(last.errors)")
            let check = try await tool.run(["fsck"] + file)
            #expect(check.status == 0, "\(check.output)")
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.front, Self.back])
    }

    @Test("A person may send a back alone whose front never came")
    func acceptedBack() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        try Data("{".utf8).write(to: photos.appending(path: "R-1/front.jpg.json"))
        try await tool.servingBoth { verifier, backend in
            let file = try self.configuration(tool, verifier, backend, delivery: [])
            let first = try await tool.run(["run", photos.path, "--format", "json"] + file)
            let back = try first.json().cards.first { $0.reason == "front_missing" }
            let id = try #require(back?.cardId)
            let resolved = try await tool.run(["cards", "resolve", id, "--as", "accept"] + file)
            #expect(resolved.status == 0, "\(resolved.errors)")
            let last = try await tool.run(["run"] + file)
            #expect(last.status == 0, "\(last.output) \(last.errors)")
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.back])
    }

    @Test("A backend that takes backs alone gets them alone when the configuration says so")
    func backWithoutFront() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/back.jpg": .back(1)])
        try await tool.servingBoth { verifier, backend in
            let file = try self.configuration(tool, verifier, backend, delivery: ["back_without_front: send"])
            let outcome = try await tool.run(["run", photos.path] + file)
            #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.back])
    }

    @Test("A run that is killed while it takes in leaves its backs waiting for the fronts it had not reached")
    func killed() async throws {
        let tool = try Tool()
        // The back comes first, the front after many others, so that the kill falls between.
        let others = 2...41 as ClosedRange<UInt8>
        _ = try tool.folder("photos", ["back.jpg": .back(1), "front.jpg": .front(1)])
        for other in others { _ = try tool.folder("photos", ["\(other).jpg": .front(other)]) }
        let rows =
            ["path,business_no", "photos/back.jpg,R-1"] + others.map { "photos/\($0).jpg,R-\($0)" }
            + ["photos/front.jpg,R-1"]
        let manifest = tool.home.appending(path: "photos.csv")
        try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: manifest)
        // Nothing is verified before the kill, so that the run cannot have ended.
        let gate = Gate()
        let held = MarkVerifier { _ in await gate.wait() }
        try await tool.servingBoth(verifier: held) { verifier, backend in
            let file = try self.configuration(tool, verifier, backend, delivery: [])
            let run = ["run", "--manifest", manifest.path] + file
            let status = try await tool.run(run, sending: .kill, atLogLine: 1)
            #expect(status == 128 + 9)
            gate.open()
            let pathless = try await tool.run(["run"] + file)
            #expect([0, 75].contains(pathless.status), "\(pathless.output) \(pathless.errors)")
            let sent = try tool.ledger().filter { $0.businessNo == "R-1" }
            #expect(sent.first?.doctype != Self.back, "the back was sent alone")
            _ = try await tool.run(run)
        }
        let sent = try tool.ledger().filter { $0.businessNo == "R-1" }
        #expect(sent.map(\.doctype) == [Self.front, Self.back])
    }
}

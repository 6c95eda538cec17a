import Foundation
import Subprocess
import TestSupport
import Testing

/// Backs whose front is known to another command: refused, or still to be taken in.
@Suite("Fronts before backs, across commands", .serialized, .timeLimit(.minutes(5)))
struct FrontOrderTests {
    private static let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")

    private func configuration(delivery: [String] = []) -> RemoteConfiguration {
        var configuration = RemoteConfiguration(others: ["run: {patience: 2s}"])
        configuration.delivery += delivery
        return configuration
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
        try await tool.servingBoth(with: self.configuration(delivery: ["layout: \(layout)", "batch_wait: 0s"])) {
            file in
            try await tool.run(["run", photos.path] + file, ends: 1)
            for _ in 1...2 {
                let pathless = try await tool.run(["run"] + file, ends: 1)
                #expect(pathless.output.contains("front_missing"), "\(pathless.output)")
            }
            let status = try await tool.run(["status"] + file)
            #expect(status.output.contains("1 need a person") && status.output.contains("front_missing"))
            #expect(try tool.ledger() == [], "the back was sent alone")
            try FileManager.default.removeItem(at: sidecar)
            try await tool.run(["run", photos.path] + file, ends: 0)
            try await tool.run(["fsck"] + file, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.front, Self.back])
    }

    @Test("A person may send a back alone whose front never came")
    func acceptedBack() async throws {
        let tool = try Tool()
        let photos = try tool.pairs()
        try Data("{".utf8).write(to: photos.appending(path: "R-1/front.jpg.json"))
        try await tool.servingBoth(with: self.configuration()) { file in
            let first = try await tool.run(["run", photos.path, "--format", "json"] + file)
            let back = try first.json().cards.first { $0.reason == "front_missing" }
            let id = try #require(back?.cardId)
            try await tool.run(["cards", "resolve", id, "--as", "accept"] + file, ends: 0)
            try await tool.run(["run"] + file, ends: 0)
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.back])
    }

    @Test("A backend that takes backs alone gets them alone when the configuration says so")
    func backWithoutFront() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/back.jpg": .back(1)])
        try await tool.servingBoth(with: self.configuration(delivery: ["back_without_front: send"])) { file in
            try await tool.run(["run", photos.path] + file, ends: 0)
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
        try await tool.servingBoth(with: self.configuration(), verifier: held) { file in
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

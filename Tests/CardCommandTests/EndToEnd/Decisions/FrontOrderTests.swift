import Foundation
import Subprocess
import TestSupport
import Testing

/// Backs whose front is known to another command: refused, or still to be taken in.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FrontOrderTests {
    private static let (front, back) = ("IDCARD_FRONT_APP", "IDCARD_BACK_APP")

    private static let impatience = ["run: {patience: 2s}"]

    @Test func `a refused front keeps its back in later runs until it is imported or the back accepted`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs(["R-1", "R-2"])
        let sidecars = ["R-1", "R-2"].map { photos.appending(path: "\($0)/front.jpg.json") }
        for sidecar in sidecars { try Data("{".utf8).write(to: sidecar) }
        let configuration = RemoteConfiguration(more: ["layout: application"], others: Self.impatience)
        try await tool.servingBoth(with: configuration) { file in
            let first = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 1)
            let backs = try first.json().cards.filter { $0.reason == "front_missing" }
            #expect(backs.map(\.businessNo) == ["R-1", "R-2"])
            let pathless = try await tool.run(["run"] + file, ends: 1)
            #expect(pathless.output.contains("front_missing"), "\(pathless.output)")
            let status = try await tool.run(["status"] + file)
            #expect(status.output.hasPrefix("retake      2\n  2      front_missing, since "), "\(status.output)")
            #expect(try tool.ledger() == [], "a back was sent alone")
            let accepted = try #require(backs.last?.cardId)
            try await tool.run(["cards", "resolve", accepted, "--as", "accept"] + file, ends: 0)
            try FileManager.default.removeItem(at: sidecars[0])
            try await tool.run(["run", photos.appending(path: "R-1/front.jpg").path, "--business-no", "R-1"] + file)
            try await tool.run(["fsck"] + file, ends: 0)
        }
        let documents = Dictionary(grouping: try tool.ledger(), by: \.businessNo).mapValues { $0.map(\.doctype) }
        #expect(documents == ["R-1": [Self.front, Self.back], "R-2": [Self.back]])
    }

    @Test func `a back whose front was rejected says so, and why, and what to do`() async throws {
        let tool = try Tool()
        let photos = try tool.pairs(["R-1", "R-2"])
        try Data("{".utf8).write(to: photos.appending(path: "R-2/front.jpg.json"))
        let configuration = RemoteConfiguration(more: ["layout: application"], others: Self.impatience)
        let verifier = MarkVerifier { photo in KnownCardTests.wrongCheckDigit(photo) }
        try await tool.servingBoth(with: configuration, verifier: verifier) { file in
            let output = try await tool.run(["run", photos.path] + file, ends: 1).output
            let known =
                "R-1/back.jpg waits_for_front: this back waits, because its front was rejected (id_number_checksum)"
            #expect(output.contains("\(known); take the front again and import it\n"), "\(output)")
            #expect(output.contains("R-2/back.jpg front_missing: no front was delivered"), "\(output)")
        }
    }

    @Test func `a run killed while it imports leaves its backs waiting for fronts it had not reached`() async throws {
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
        try await tool.servingBoth(with: RemoteConfiguration(others: Self.impatience), verifier: held) { file in
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

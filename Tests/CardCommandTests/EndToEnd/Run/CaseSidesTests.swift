import Foundation
import Subprocess
import TestSupport
import Testing

/// Cases of which one side was delivered, and nothing of the other is there.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CaseSidesTests {
    private static let one = "1 case of this run lacks a side; list the cases that lack one: idcard-pipeline cases list"

    @Test(arguments: [("any", Int32(0), "note: "), ("both", 1, "")])
    func `a run says how many of its cases lack a side, and ends as the key says`(
        _ sides: String,
        _ status: Int32,
        _ prefix: String
    ) async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["L-1/a.jpg": .front(1), "L-2/a.jpg": .front(2), "L-2/b.jpg": .back(2)])
        try await tool.servingBoth(with: RemoteConfiguration(others: ["cases: {sides: \(sides)}"])) { file in
            // Again and in other formats, too: a side that is missing does not come by itself.
            for format in ["text", "json", "jsonl"] {
                let run = try await tool.run(["run", photos.path, "--quiet", "--format", format] + file, ends: status)
                #expect(run.errors.contains("\(prefix)\(Self.one)"), "\(run.errors)")
                #expect(run.errors.contains("--state incomplete\n"), "\(run.errors)")
            }
            let whole = photos.appending(path: "L-2").path
            let other = try await tool.run(["run", whole, "--business-no", "L-2", "--quiet"] + file, ends: 0)
            #expect(!other.errors.contains("lacks a side"), "\(other.errors)")
            let news = try await tool.run(["run", photos.path, "--quiet", "--new-only"] + file, ends: 0)
            #expect(!news.errors.contains("lacks a side"), "\(news.errors)")
            try MarkedPhoto.back(1).jpeg.write(to: photos.appending(path: "L-1/b.jpg"))
            let complete = try await tool.run(["run", photos.path, "--quiet"] + file, ends: 0)
            #expect(complete.errors == "", "\(complete.errors)")
        }
    }

    @Test func `a run without inputs speaks of the cases of the cards that it moved`() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["L-1/a.jpg": .front(1)])
        let verifier = MarkVerifier()
        try await tool.servingBoth(with: RemoteConfiguration(others: ["cases: {sides: both}"]), verifier: verifier) {
            file in
            let gate = Gate()
            verifier.answer(0, thenWaitAt: gate)
            _ = try await tool.running(["run", photos.path] + file) { _, send in
                await gate.arrival()
                try send(.kill)
            }
            gate.open()
            verifier.answer { _ in nil }
            let run = try await tool.run(["run", "--quiet"] + file, ends: 1)
            #expect(run.errors.contains(Self.one), "\(run.errors)")
            #expect(try await tool.run(["run", "--quiet"] + file, ends: 0).errors == "")
        }
    }
}

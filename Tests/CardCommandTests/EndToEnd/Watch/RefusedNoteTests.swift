import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

/// The notes beside photos in `done/` whose cards are refused after their import.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RefusedNoteTests {
    /// No holder is that old.
    private static let refusing = ["verdict: {min_age: 150, severity: {under_age: reject}}"]

    private let inbox: Inbox

    init() throws { self.inbox = try Inbox() }

    private struct Note: Decodable {
        var code: String
        var message: String
        var cardId: String
    }

    private static func notes(_ photo: String) -> [String] { [photo + ".failed.json", photo + ".failed.txt"] }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: self.inbox.folder.appending(path: name), encoding: .utf8)
    }

    @Test func `a photo refused after its import gets a note in done, in the language of the process`() async throws {
        let photo = "done/R-77/scan.jpg"
        try self.inbox.bring("R-77/scan.jpg", .front(1))
        try await self.inbox.serving("", Self.refusing) { file in
            try await self.inbox.watching(file, ["LANG": "zh_CN.UTF-8"]) { _, send in
                try await self.inbox.arrival(of: photo + ".failed.json")
                try send(.terminate)
            }
        }
        #expect(try self.inbox.files() == [photo] + Self.notes(photo))
        let text = try self.text(photo + ".failed.txt")
        #expect(text == "under_age\n持证人未满 150 周岁（verdict.min_age）；年满后再重新提交\n")
        let json = try self.text(photo + ".failed.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let note = try decoder.decode(Note.self, from: Data(json.utf8))
        #expect(note.code == "under_age" && note.message.hasPrefix("the holder is younger than 150 years"))
        let holder = MarkedPhoto.front(1).holder
        for secret in ["R-77", "scan", "U-1", holder.name, holder.number] {
            #expect(!text.contains(secret) && !json.contains(secret), "\(secret)")
        }
    }

    @Test func `refused by another process, a photo gets its note at the next start, unless it was renamed or removed`()
        async throws
    {
        let (verifier, gate) = (MarkVerifier(), Gate())
        verifier.answer(0, thenWaitAt: gate)
        try await self.inbox.serving("", Self.refusing, verifier: verifier) { file in
            try await self.inbox.watching(file, ends: 128 + SIGKILL) { _, send in
                for place: UInt8 in 1...3 {
                    try self.inbox.bring("R-\(place)/front.jpg", .front(place))
                    try await self.inbox.arrival(of: "done/R-\(place)/front.jpg")
                }
                await gate.arrival()
                try send(.kill)
            }
            verifier.answer { _ in nil }
            gate.open()
            try await self.inbox.tool.run(["run"] + file)
            let done = self.inbox.folder.appending(path: "done")
            let (renamed, removed) = (done.appending(path: "R-1/front.jpg"), done.appending(path: "R-2/front.jpg"))
            try FileManager.default.moveItem(at: renamed, to: done.appending(path: "R-1/seen.jpg"))
            try FileManager.default.removeItem(at: removed)
            #expect(try self.inbox.files() == ["done/R-1/seen.jpg", "done/R-3/front.jpg"])
            let said = try await self.inbox.watching(file) { _, send in
                // The last one that was imported: the others were looked for before.
                try await self.inbox.arrival(of: "done/R-3/front.jpg.failed.json")
                try send(.terminate)
            }
            #expect(said.count == 2 && said[0].contains("watching 1 folder"), "\(said)")
        }
        let last = "done/R-3/front.jpg"
        #expect(try self.inbox.files() == ["done/R-1/seen.jpg", last] + Self.notes(last))
    }

    @Test func `of two photos of one name, the refused one gets the note`() async throws {
        let verifier = MarkVerifier { $0.serial == 1 ? MarkDialect.faceIDv1.answer(about: nil) : nil }
        try await self.inbox.serving("", verifier: verifier) { file in
            try await self.inbox.watching(file) { lines, send in
                try self.inbox.bring("R-1/front.jpg", .front(1))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try await self.inbox.arrival(of: "done/R-1/front.jpg")
                try self.inbox.bring("R-1/front.jpg", .front(1, serial: 1))
                try await self.inbox.arrival(of: "done/R-1/front-2.jpg.failed.json")
                try send(.terminate)
            }
        }
        let second = "done/R-1/front-2.jpg"
        #expect(try self.inbox.files() == ([second, "done/R-1/front.jpg"] + Self.notes(second)).sorted())
    }
}

import Foundation
import TestSupport
import Testing

/// A folder whose name, the business number, holds the customer's name.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PersonalFolderTests {
    @Test func `it waits for a person, is erased with its cards, and is known all the same`() async throws {
        let (tool, name) = (try Tool(), MarkedHolder(1).name)
        let number = "LOAN-7 \(name)"
        let files: [String: MarkedPhoto] = ["\(number)/front.jpg": .front(1), "\(number)/back.jpg": .back(1)]
        let photos = try tool.folder("photos", files)
        try await tool.servingBoth { file in
            let run = ["run", photos.path, "--format", "json"] + file
            let first = try await tool.run(run, ends: 1).json().cards
            #expect(Set(first.compactMap(\.reason)) == ["business_no_personal", "waits_for_front"])
            #expect(try tool.ledger().isEmpty)
            let front = try #require(first.first { $0.side == "front" }?.cardId)
            try await tool.run(["cards", "resolve", front, "--as", "accept"] + file, ends: 0)
            #expect(try await tool.run(run, ends: 0).json().cards.map(\.state) == ["delivered", "delivered"])
            #expect(try Set(tool.ledger().map(\.businessNo)) == [number])
            try await tool.run(["cards", "erase", "--business-no", number, "--yes"] + file, ends: 0)
            let report = tool.home.appending(path: "report.csv").path
            let again = try await tool.run(run + ["--report", report], ends: 0)
            #expect(try again.json().cards.map(\.state) == ["erased", "erased"])
            var outputs = [again.output + again.errors, try String(contentsOfFile: report, encoding: .utf8)]
            for list in [
                ["cases", "list", "--state", "erased"], ["cards", "list"], ["cases", "list", "--business-no", number],
            ] {
                outputs.append(try await tool.run(list + ["--format", "json"] + file).output)
            }
            #expect(outputs.allSatisfy { !$0.contains(name) }, "\(outputs)")
            // Their bytes are no longer known, so a person decides about a copy.
            let copies = try tool.folder("copies", files)
            let held = try await tool.run(["run", copies.path, "--format", "json"] + file, ends: 1).json().cards
            #expect(held.map(\.reason) == ["business_no_personal", "business_no_personal"])
            let digest = try tool.folder("digests", ["~0123456789abcdef/front.jpg": .front(2)])
            let refused = try await tool.run(["run", digest.path, "--format", "json"] + file, ends: 1).json().cards
            #expect(refused.map(\.reason) == ["business_no_invalid"])
        }
        #expect(try tool.ledger().count == 2)
    }
}

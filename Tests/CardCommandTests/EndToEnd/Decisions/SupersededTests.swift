import Foundation
import TestSupport
import Testing

/// Photos that a newer one replaced, as a user meets them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SupersededTests {
    @Test func `a photo replaced by a delivered one is named when it comes again, and not done again`() async throws {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/a.jpg": .front(1), "R-1/b.jpg": .front(1, serial: 1)])
        // Of the same time, so that the names tell which one is later.
        let time = [FileAttributeKey.modificationDate: Date.now]
        for name in ["R-1/a.jpg", "R-1/b.jpg"] {
            try FileManager.default.setAttributes(time, ofItemAtPath: photos.appending(path: name).path)
        }
        try await tool.servingBoth { file in
            let command = ["run", photos.path] + file
            let first = try await tool.run(command + ["--format", "json"], ends: 0)
            let id = try #require(try first.json().cards.first { $0.source.hasSuffix("a.jpg") }?.cardId)
            let again = try await tool.run(command, ends: 0)
            #expect(
                again.output.contains("a.jpg superseded: b.jpg is a front, too; the back is missing\n"),
                "\(again.output)"
            )
            try MarkedPhoto.back(1).jpeg.write(to: photos.appending(path: "R-1/back.jpg"))
            let whole = try await tool.run(command, ends: 0)
            let said = "a.jpg superseded: b.jpg is a front, too, and newer; this photo is not sent\n"
            #expect(whole.output.contains(said), "\(whole.output)")
            let retried = try await tool.run(["cards", "retry", id] + file, ends: 1)
            #expect(retried.errors.contains("a newer photo of the same side replaced this card"), "\(retried.errors)")
            try await tool.run(["cards", "resolve", id, "--as", "seen"] + file, ends: 0)
            #expect(try await tool.run(command, ends: 0).output == "3 inputs: 3 duplicate\n")
        }
    }

    @Test func `of two photos of one side in a list the later one is sent, until a person wants the other`()
        async throws
    {
        let tool = try Tool()
        let photos = try tool.folder("photos", ["R-1/front.jpg": .front(1), "R-1/front (1).jpg": .front(1, serial: 1)])
        let older = photos.appending(path: "R-1/front.jpg").path
        let yesterday = [FileAttributeKey.modificationDate: Date.now.addingTimeInterval(-86_400)]
        try FileManager.default.setAttributes(yesterday, ofItemAtPath: older)
        try await tool.servingBoth { file in
            let told = try await tool.run(["run", photos.path] + file, ends: 0).output.split(separator: "\n")
            #expect(told.count == 2 && told.last == "2 inputs: 1 delivered, 1 superseded", "\(told)")
            let outcome = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 0)
            let said =
                "front.jpg taken_earlier: front (1).jpg is a front, too; the back is missing, if this is the right photo: "
            #expect(told.first?.contains(said) == true, "\(told)")
            let states = try outcome.json().cards.map {
                [$0.source.split(separator: "/").last.map(String.init), $0.state]
            }
            #expect(states == [["front (1).jpg", "delivered"], ["front.jpg", "superseded"]])
            // The command that the line names.
            let older = try #require(try outcome.json().cards.last?.cardId)
            #expect(told.first?.contains("idcard-pipeline cards retry") == true, "\(told)")
            #expect(told.first?.hasSuffix(older) == true, "\(told)")
            try await tool.run(["cards", "retry", older] + file, ends: 0)
            try await tool.run(["run"] + file, ends: 0)
            let last = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 0)
            #expect(try last.json().cards.map(\.state) == ["delivered", "delivered"])
        }
    }
}

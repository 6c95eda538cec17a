import CardModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardInput

/// Sidecars and done-markers: what is waited for, and what comes late.
@Suite(.timeLimit(.minutes(5))) struct LateSidecarTests {
    private static let sidecar = #"{"user_no": "u-1"}"#

    private static func waiting(_ rule: WatchOptions.SidecarRule) throws -> Watching {
        let watching = try Watching {
            $0.sidecar = rule
            $0.sidecarWait = .seconds(2)
        }
        try watching.photo("in/LOAN-1/front.jpg", 1)
        return watching
    }

    @Test func `what looks like the sidecar of a photo and is none refuses that photo`() async throws {
        let watching = try Self.waiting(.optional)
        try watching.folder.write("in/LOAN-1/front.json", text: Self.sidecar)
        try await watching.run { watch in
            await watching.pass(.seconds(2), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.pipeline.calls == 0)
        #expect(watching.reports.refused == ["sidecar_invalid"])
        #expect(
            watching.files() == ["LOAN-1/front.json", "failed/LOAN-1/front.jpg", "failed/LOAN-1/front.jpg.failed.json"]
        )
    }

    @Test func `A photo is taken without a sidecar when that has not come in time`() async throws {
        let watching = try Self.waiting(.optional)
        try await watching.run { watch in
            await watching.pass(.milliseconds(1999), watch)
            #expect(watching.pipeline.calls == 0)
            await watching.pass(.milliseconds(1), watch)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.pipeline.taken.map(\.user) == [nil])
    }

    @Test(
        arguments: ["front.jpg.json", "front.jpg.JSON", "Front.jpg.json"],
        [WatchOptions.SidecarRule.optional, .required]
    )
    func `A sidecar in time is read, whatever its case`(name: String, rule: WatchOptions.SidecarRule) async throws {
        let watching = try Self.waiting(rule)
        try await watching.run { watch in
            if rule == .required { for _ in 1...3 { await watching.pass(.seconds(1000), watch) } }
            await watching.pass(.seconds(1), watch)
            #expect(watching.pipeline.calls == 0)
            try watching.folder.write("in/LOAN-1/" + name, text: Self.sidecar)
            if name != "front.jpg.json" { for _ in 1...3 { await watching.pass(.seconds(2), watch) } }
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.pipeline.taken.map(\.user) == ["u-1"])
        #expect(watching.files() == ["done/LOAN-1/front.jpg", "done/LOAN-1/front.jpg.json"])
    }

    @Test(arguments: [
        (#"{"business_no": "OTHER"}"#, "business_no_conflict"), (#"{"side": "inside"}"#, "field_invalid"),
        ("{", "sidecar_invalid"),
    ])
    func `A sidecar that cannot be meant refuses its photo, once it stands`(text: String, code: String) async throws {
        let watching = try Watching { $0.quietTime = .seconds(5) }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run(afterScans: 1) { watch in
            try watching.folder.write("in/LOAN-1/a.jpg.json", text: text)
            try watching.photo("in/LOAN-1/a.jpg", 1)
            try await watching.catchUp()
            #expect(watching.files("in/failed") == [])
            await watching.pass(.seconds(5), watch)
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.reports.refused == [code])
        #expect(watching.files("in/failed/LOAN-1") == ["a.jpg", "a.jpg.failed.json", "a.jpg.json"])
    }

    /// A watch that has taken a photo in, and then meets its sidecar.
    private static func late(
        _ pipeline: FakePipeline = FakePipeline(),
        text: String = Self.sidecar,
        change: (inout WatchOptions) -> Void = { _ in },
        _ body: (Watching, FolderWatch) async throws -> Void
    ) async throws -> Watching {
        let watching = try Watching(pipeline: pipeline) {
            $0.quietTime = .seconds(5)
            change(&$0)
        }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run(afterScans: 1) { watch in
            try watching.photo("in/LOAN-1/front.jpg", 1)
            await watching.reports.wait(forPlaced: 1)
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: text)
            try await watching.catchUp()
            await watching.pass(.seconds(5) + watching.options.sidecarWait, watch)
            try await body(watching, watch)
        }
        return watching
    }

    @Test(arguments: [(WatchOptions.After.move, "in/done/LOAN-1"), (.leave, "in/LOAN-1")])
    func `A late sidecar amends its card and follows its photo`(after: WatchOptions.After, place: String) async throws {
        let watching = try await Self.late(change: { $0.after = after }) { watching, _ in
            await watching.reports.wait(forPlaced: 3)
        }
        let taken = watching.pipeline.taken.filter { $0.number == "LOAN-1" }
        #expect(taken.map(\.user) == [nil, "u-1"])
        #expect(taken.last?.occasion == .lateSidecar && taken.last?.isDuplicate == true)
        #expect(watching.files(place) == ["front.jpg", "front.jpg.json"])
    }

    @Test func `One that comes too late lies with a note among what is refused`() async throws {
        let pipeline = FakePipeline { _, occasion, _ in
            occasion == .lateSidecar ? .refused(CodedError(.sidecarLate, .input, "it is too late"), card: nil) : nil
        }
        let watching = try await Self.late(pipeline) { watching, _ in await watching.reports.wait(forPlaced: 3) }
        #expect(watching.files("in/done/LOAN-1") == ["front.jpg"])
        #expect(watching.files("in/failed/LOAN-1") == ["front.jpg.json", "front.jpg.json.failed.json"])
        #expect(try watching.note("in/failed/LOAN-1/front.jpg.json.failed.json")["code"] == "sidecar_late")
    }

    @Test(arguments: [#"{"business_no": "OTHER"}"#, "{", "[]"])
    func `One that would misfile its photo, or says nothing, stays where it is`(text: String) async throws {
        let watching = try await Self.late(text: text) { watching, watch in try await watching.catchUp("again") }
        #expect(watching.pipeline.taken.count { $0.number == "LOAN-1" } == 1)
        #expect(watching.files("in/LOAN-1") == ["front.jpg.json"])
    }

    @Test func `A sidecar that is still being written holds its photo back as long as that takes`() async throws {
        let watching = try Watching { $0.quietTime = .seconds(5) }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run(afterScans: 1) { watch in
            let descriptor = open(watching.folder["in/LOAN-1/a.jpg.json"], O_WRONLY | O_CREAT, 0o644)
            #expect(write(descriptor, "{", 1) == 1)
            try watching.photo("in/LOAN-1/a.jpg", 1)
            try await watching.catchUp("first")
            for _ in 1...3 { await watching.pass(.seconds(60), watch) }
            #expect(watching.reports.refused == [] && watching.pipeline.names == ["LOAN-9 first.jpg"])
            let rest = #""user_no": "u-1"}"#
            #expect(write(descriptor, rest, rest.utf8.count) == rest.utf8.count)
            close(descriptor)
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.pipeline.taken.last?.user == "u-1")
        #expect(watching.files("in/done/LOAN-1") == ["a.jpg", "a.jpg.json"])
    }

    @Test func `A sidecar that is there before its photo waits for it`() async throws {
        let watching = try Watching()
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: Self.sidecar)
        try await watching.run { watch in
            for _ in 1...3 { await watching.pass(.seconds(1000), watch) }
            try watching.photo("in/LOAN-1/front.jpg", 1)
            await watching.reports.wait(forPlaced: 1)
        }
        #expect(watching.pipeline.taken.map(\.user) == ["u-1"])
        #expect(watching.files() == ["done/LOAN-1/front.jpg", "done/LOAN-1/front.jpg.json"])
    }

    @Test(arguments: [false, true])
    func `One that comes while its photo is taken in amends the card before the move`(isTooLate: Bool) async throws {
        let folder = TemporaryFolder()
        let pipeline = FakePipeline { _, occasion, call in
            if call == 1 { try folder.write("in/LOAN-1/front.jpg.json", text: Self.sidecar) }
            guard isTooLate, occasion == .lateSidecar, call == 2 else { return nil }
            return .refused(CodedError(.sidecarLate, .input, "it is too late"), card: nil)
        }
        let watching = try Watching(folder, pipeline: pipeline, photos: ["in/LOAN-1/front.jpg"])
        try await watching.run(afterPlaced: 1) { watch in
            if isTooLate { await watching.pass(.seconds(60), watch) }
            await watching.reports.wait(forPlaced: isTooLate ? 2 : 1)
        }
        #expect(watching.files("in/done/LOAN-1") == (isTooLate ? ["front.jpg"] : ["front.jpg", "front.jpg.json"]))
        #expect(watching.files("in/failed").count == (isTooLate ? 2 : 0))
        #expect(watching.pipeline.taken.map(\.occasion) == (isTooLate ? [.complete] : [.complete, .lateSidecar]))
        #expect(watching.pipeline.cards == 1)
    }

    @Test(arguments: WatchOptions.Mode.allCases)
    func `With a done-marker a photo is taken once that is there, both moved`(mode: WatchOptions.Mode) async throws {
        let watching = try Watching {
            $0.doneMarker = ".done"
            $0.mode = mode
        }
        try watching.photo("in/LOAN-1/a.jpg", 1)
        try watching.folder.write("in/LOAN-1/b.jpg.done", text: "")
        try await watching.run { watch in
            await watching.pass(.seconds(10), watch)
            #expect(watching.pipeline.calls == 0)
            try watching.folder.write("in/LOAN-1/a.jpg.done", text: "")
            try watching.photo("in/LOAN-1/b.jpg", 2)
            if mode == .polling { await watching.pass(WatchLimits.poll, watch) }
            await watching.reports.wait(forPlaced: 2)
        }
        #expect(watching.files("in/done/LOAN-1") == ["a.jpg", "a.jpg.done", "b.jpg", "b.jpg.done"])
    }
}

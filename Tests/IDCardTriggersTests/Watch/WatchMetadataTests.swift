import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import IDCardTriggers
import Synchronization
import Testing

/// Where the metadata of a watched image come from, and what it waits for.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct WatchMetadataTests {
    @Test("The watched folder itself lends no number; the folder of an image does, and a sidecar comes before it")
    func sources() async throws {
        let watching = try Watching()
        try watching.image("in/root.jpg", 1)
        try watching.image("in/LOAN-1/front.jpg", 2)
        try watching.image("in/LOAN-1/other.jpg", 3)
        try watching.folder.write("in/LOAN-1/other.jpg.json", text: #"{"business_no": "LOAN-7"}"#)
        try await watching.run { await watching.events.wait(forPlaced: 3) }
        #expect(Set(watching.intake.takes.map(\.businessNumber)) == ["LOAN-1", "LOAN-7"])
        #expect(watching.files("in/failed") == ["root.jpg", "root.jpg.failed.json"])
        #expect(try watching.note("in/failed/root.jpg.failed.json")["code"] == "business_no_missing")
        #expect(watching.files("in/done") == ["LOAN-1/front.jpg", "LOAN-1/other.jpg", "LOAN-1/other.jpg.json"])
    }

    @Test(
        "Images that lie too deep stay where they are, with one warning for the folder, until something gives a number"
    )
    func deepImages() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(30) }
        for (number, name) in ["LOAN-1/a/front.jpg", "LOAN-1/a/back.jpg", "LOAN-2/b/c/front.jpg"].enumerated() {
            try watching.image("in/" + name, number)
        }
        try watching.image("in/LOAN-3/front.jpg", 9)
        try await watching.run {
            await watching.events.wait(forPlaced: 4)
            await watching.events.wait(forScans: 5)
            #expect(watching.events.problems == ["1 business_no_missing"])
            #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-3"])
            #expect(watching.files("in/failed") == [])
            try watching.folder.write("in/LOAN-1/a/front.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
            await watching.events.wait(forPlaced: 5)
        }
        #expect(watching.events.refusals == [])
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-3", "LOAN-1"])
        #expect(
            watching.files() == [
                "LOAN-1/a/back.jpg", "LOAN-2/b/c/front.jpg", "done/LOAN-1/a/front.jpg", "done/LOAN-1/a/front.jpg.json",
                "done/LOAN-3/front.jpg",
            ]
        )
        // What the operator says then holds for those that wait.
        let told = try Watching(watching.folder, intake: watching.intake) { $0.inputs.businessNumberRule = .level(1) }
        try await told.run { await told.events.wait(forPlaced: 2) }
        // Those of different cases are taken in beside each other.
        #expect(watching.intake.takes.dropFirst(2).map(\.businessNumber).sorted() == ["LOAN-1", "LOAN-2"])
        #expect(told.events.problems == [])
    }

    @Test("The warning is taken back once no image lies too deep any more")
    func deepImagesGone() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(30) }
        try watching.image("in/LOAN-1/a/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            #expect(unlink(watching.folder["in/LOAN-1/a/front.jpg"]) == 0)
            await watching.events.wait { events in
                events.contains { if case .mended(_, .businessNumberMissing) = $0 { true } else { false } }
            }
        }
        #expect(watching.events.problems == ["1 business_no_missing", "1 mended business_no_missing"])
    }

    @Test("With the rule root the watched folder's own name is the number; with none nothing in a path is")
    func otherRules() async throws {
        let root = try Watching { $0.inputs.businessNumberRule = .root }
        try root.image("in/front.jpg", 1)
        try root.image("in/a/b/back.jpg", 2)
        try await root.run { await root.events.wait(forPlaced: 2) }
        #expect(root.intake.takes.map(\.businessNumber) == ["in", "in"])
        let none = try Watching { $0.inputs.businessNumberRule = .none }
        try none.image("in/LOAN-1/front.jpg", 1)
        try await none.run { await none.events.wait(forPlaced: 1) }
        #expect(none.events.refusals == ["business_no_missing"])
        #expect(none.files("in/failed") == ["LOAN-1/front.jpg", "LOAN-1/front.jpg.failed.json"])
    }

    @Test("An image without a number waits for its sidecar, and goes on as soon as that is there")
    func lateSidecar() async throws {
        let watching = try Watching { $0.sidecarWait = .seconds(3600) }
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.image("in/front.jpg", 1)
            await watching.events.wait { events in
                events.contains { if case .putOff(_, .businessNumberMissing, _) = $0 { true } else { false } }
            }
            #expect(watching.files() == ["front.jpg"])
            try watching.folder.write("in/front.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.files() == ["done/front.jpg", "done/front.jpg.json"])
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-1"])
    }

    @Test("A sidecar that comes before its image is there when it is needed")
    func earlySidecar() async throws {
        let watching = try Watching { $0.sidecar = .required }
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.folder.write("in/front.jpg.json", text: #"{"business_no": "LOAN-1"}"#)
            try watching.image("in/front.jpg", 1)
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.files() == ["done/front.jpg", "done/front.jpg.json"])
    }

    @Test("A sidecar that is still being written is waited for; one that stays broken is told of")
    func brokenSidecar() async throws {
        let watching = try Watching { $0.sidecarWait = .seconds(3600) }
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"business_no": "#)
            try watching.image("in/LOAN-1/front.jpg", 1)
            await watching.events.wait { events in
                events.contains { if case .putOff(_, .sidecarInvalid, _) = $0 { true } else { false } }
            }
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"business_no": "LOAN-2"}"#)
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-2"])

        let short = try Watching()
        try short.image("in/LOAN-1/front.jpg", 1)
        try short.folder.write("in/LOAN-1/front.jpg.json", text: "no JSON")
        try await short.run { await short.events.wait(forPlaced: 1) }
        #expect(short.events.refusals == ["sidecar_invalid"])
        #expect(
            short.files() == [
                "failed/LOAN-1/front.jpg", "failed/LOAN-1/front.jpg.failed.json", "failed/LOAN-1/front.jpg.json",
            ]
        )
    }

    @Test("Where a sidecar is required, no image goes without, whatever its folder is called")
    func requiredSidecar() async throws {
        let watching = try Watching { $0.sidecar = .required }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-1/back.jpg", 2)
        try watching.folder.write("in/LOAN-1/back.jpg.json", text: "{}")
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(watching.events.refusals == ["sidecar_missing"])
        #expect(watching.files("in/done") == ["LOAN-1/back.jpg", "LOAN-1/back.jpg.json"])
    }

    @Test("Without a wait an image without a number is refused at once")
    func noWait() async throws {
        let watching = try Watching { $0.sidecarWait = .zero }
        try watching.image("in/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.events.putOff == [])
        #expect(watching.events.refusals == ["business_no_missing"])
    }

    @Test("Where a card needs a user account, an image without one waits for it and is then refused")
    func userNumber() async throws {
        let watching = try Watching { $0.requiresUserNumber = true }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-1/back.jpg", 2)
        try watching.folder.write("in/LOAN-1/back.jpg.json", text: #"{"user_no": "u-1"}"#)
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(watching.events.refusals == ["user_no_missing"])
        #expect(watching.intake.calls == 1)
    }

    // MARK: Manifest

    @Test("A manifest in the root annotates its files, also those that come later, and is no input itself")
    func manifest() async throws {
        let watching = try Watching { $0.sidecarWait = .seconds(3600) }
        try watching.folder.write(
            "in/manifest.csv",
            text: """
                path,business_no,side
                front.jpg,LOAN-1,front
                sub/../sub/./back.jpg,LOAN-2,back
                odd.bin,LOAN-3,
                """
        )
        try watching.image("in/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            try watching.image("in/sub/back.jpg", 2)
            try watching.folder.write("in/odd.bin", text: "no image by name or content")
            await watching.events.wait(forPlaced: 3)
        }
        #expect(watching.intake.takes.map(\.businessNumber).sorted() == ["LOAN-1", "LOAN-2", "LOAN-3"])
        #expect(watching.files() == ["done/front.jpg", "done/odd.bin", "done/sub/back.jpg", "manifest.csv"])
    }

    @Test("A front that a manifest names is expected before its back is taken in, and known as refused afterwards")
    func expectedByManifest() async throws {
        let before = Mutex<[String]>([])
        let told = Mutex<FakeIntake?>(nil)
        let intake = FakeIntake(answer: { item, _ in
            if item.source.reveal().hasSuffix("back.jpg") {
                before.withLock { $0 = told.withLock { $0?.awaited } ?? [] }
            }
            return item.source.reveal().hasSuffix("front.jpg") ? .refused(.sourceTooLarge, message: "too large") : nil
        })
        told.withLock { $0 = intake }
        let watching = try Watching(intake: intake)
        try watching.image("in/back.jpg", 1)
        try watching.image("in/front.jpg", 2)
        try watching.folder.write(
            "in/manifest.csv",
            text: "path,business_no\nfront.jpg,LOAN-1\nback.jpg,LOAN-1\n"
        )
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(
            before.withLock { $0 }.contains("LOAN-1 front.jpg"),
            "the back was taken in without a word of its front"
        )
        #expect(watching.intake.awaited == ["LOAN-1 front.jpg refused"])
    }

    @Test("A refused photo that stays where it is counts as refused until it is taken away")
    func refusedAndLeft() async throws {
        let told = Mutex<FakeIntake?>(nil)
        let before = Mutex<[[String]]>([])
        let intake = FakeIntake(answer: { _, _ in
            before.withLock { $0.append(told.withLock { $0?.awaited } ?? []) }
            return .refused(.sourceTooLarge, message: "too large")
        })
        told.withLock { $0 = intake }
        let watching = try Watching(intake: intake) {
            $0.after = .leave
            $0.rescanInterval = .milliseconds(30)
        }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            await watching.events.wait(forScans: 3)
            #expect(intake.awaited == ["LOAN-1 front.jpg refused"])
            // Another photo takes its place, and is expected as the first one was.
            try watching.image("in/LOAN-1/front.jpg", 2, size: 90)
            await watching.events.wait(forPlaced: 2)
            #expect(before.withLock { $0 } == [["LOAN-1 front.jpg"], ["LOAN-1 front.jpg"]])
            await watching.events.wait { _ in intake.awaited == ["LOAN-1 front.jpg refused"] }
            try FileManager.default.removeItem(atPath: watching.folder["in/LOAN-1/front.jpg"])
            await watching.events.wait { _ in intake.awaited.isEmpty }
        }
    }

    @Test("A photo that a manifest gives to two cases is moved once both cards are durable")
    func twoNumbers() async throws {
        let watching = try Watching()
        try watching.folder.write(
            "in/manifest.jsonl",
            text: """
                {"path": "a.jpg", "business_no": "LOAN-1"}
                {"path": "a.jpg", "business_no": "LOAN-2"}
                {"path": "./a.jpg", "business_no": "LOAN-1"}
                """
        )
        try watching.image("in/a.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-1", "LOAN-2"])
        #expect(watching.files() == ["done/a.jpg", "manifest.jsonl"])
    }

    @Test("A manifest that cannot be understood holds the whole folder up, once told, until it is mended")
    func brokenManifest() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(50) }
        try watching.folder.write("in/manifest.csv", text: "nonsense\n1")
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run {
            await watching.events.wait { $0.contains { if case .problem = $0 { true } else { false } } }
            await watching.events.wait(forScans: 5)
            #expect(watching.intake.calls == 0)
            #expect(watching.events.problems == ["1 manifest_invalid"])
            try watching.folder.write("in/manifest.csv", text: "path,business_no\nLOAN-1/front.jpg,LOAN-5\n")
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-5"])
        #expect(watching.events.problems == ["1 manifest_invalid", "1 mended manifest_invalid"])
    }

    @Test("A manifest that is taken away says nothing any more")
    func removedManifest() async throws {
        let watching = try Watching()
        try watching.folder.write("in/manifest.csv", text: "path,business_no\nLOAN-1/a.jpg,X\nLOAN-1/b.jpg,X\n")
        try watching.image("in/LOAN-1/a.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            unlink(watching.folder["in/manifest.csv"])
            try watching.image("in/LOAN-1/b.jpg", 2)
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.intake.takes.map(\.businessNumber) == ["X", "LOAN-1"])
    }

    // MARK: Marker

    @Test(
        "With a done-marker an image is taken once its marker is there, and the marker goes with it",
        arguments: [true, false]
    )
    func marker(isPolled: Bool) async throws {
        let watching = try Watching {
            $0.doneMarker = ".done"
            $0.rescanInterval = .milliseconds(50)
            if isPolled { $0.mode = .polling } else { $0.quietTime = .milliseconds(20) }
        }
        try watching.image("in/LOAN-1/early.jpg", 1)
        try watching.folder.write("in/LOAN-1/early.jpg.done", text: "")
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            try watching.image("in/LOAN-1/front.jpg", 2)
            await watching.events.wait(forScans: 10)
            #expect(watching.intake.calls == 1)
            try watching.folder.write("in/LOAN-1/front.jpg.done", text: "")
            await watching.events.wait(forPlaced: 2)
        }
        #expect(
            watching.files() == [
                "done/LOAN-1/early.jpg", "done/LOAN-1/early.jpg.done", "done/LOAN-1/front.jpg",
                "done/LOAN-1/front.jpg.done",
            ]
        )
    }

    @Test("A marker that is there first waits for its image, without any wait for the marker itself")
    func markerFirst() async throws {
        let watching = try Watching {
            $0.doneMarker = ".ok"
            $0.quietTime = .seconds(3600)
            $0.rescanInterval = .seconds(3600)
        }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.folder.write("in/LOAN-1/a.jpg.ok", text: "")
            try watching.image("in/LOAN-1/a.jpg", 1)
            await watching.events.wait(forPlaced: 1)
            try watching.image("in/LOAN-1/b.jpg", 2)
            try watching.folder.write("in/LOAN-1/b.jpg.ok", text: "")
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.files("in/LOAN-1") == [])
    }
}

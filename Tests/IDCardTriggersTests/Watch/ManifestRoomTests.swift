import IDCardTesting
import Testing

@testable import IDCardTriggers

/// Manifests of watched folders that hold more images than are kept in mind.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct ManifestRoomTests {
    @Test("A manifest is read however many images wait for it", arguments: WatchSettings.Mode.allCases)
    func manyImages(mode: WatchSettings.Mode) async throws {
        let watching = try Watching {
            $0.mode = mode
            $0.pendingFiles = 4
            $0.rescanInterval = .seconds(3600)
            $0.retryCap = .seconds(3600)
            $0.quietTime = .milliseconds(20)
        }
        for number in 0..<40 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        try watching.folder.write("in/manifest.csv", text: "path,business_no\nLOAN-1/0.jpg,LOAN-7\n")
        try await watching.run { await watching.events.wait(forPlaced: 40) }
        #expect(watching.intake.takes.count { $0.businessNumber == "LOAN-7" } == 1)
        #expect(watching.intake.cards == 40)
    }

    @Test("Images that wait for a manifest keep no other root waiting, and go on as soon as it is mended")
    func otherRoots() async throws {
        var watching = try Watching {
            $0.pendingFiles = 4
            $0.rescanInterval = .seconds(3600)
            $0.retryCap = .seconds(3600)
            $0.quietTime = .milliseconds(20)
        }
        try watching.folder.makeFolder("in-2")
        watching.roots = [watching.folder["in"], watching.folder["in-2"]]
        for number in 0..<20 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        try watching.folder.write("in/manifest.csv", text: "nonsense\n1")
        let running = watching
        try await running.run {
            await running.events.wait { $0.contains { if case .problem = $0 { true } else { false } } }
            await running.events.wait { $0.count { if case .scanned = $0 { true } else { false } } >= 2 }
            for number in 20..<40 { try running.image("in-2/LOAN-2/\(number).jpg", number) }
            await running.events.wait(forPlaced: 20)
            #expect(running.files("in/done") == [])
            try running.folder.write("in/manifest.csv", text: "path,business_no\nLOAN-1/0.jpg,LOAN-7\n")
            await running.events.wait(forPlaced: 40)
        }
        #expect(running.files("in/done").count == 20)
        #expect(running.files("in-2/done").count == 20)
    }

    @Test("A manifest with more bytes than a watch keeps holds its folder up, told of once")
    func tooLarge() async throws {
        let watching = try Watching { $0.manifestBytes = 64 }
        try watching.folder.write("in/manifest.csv", text: "path\n" + String(repeating: "LOAN-1/a.jpg\n", count: 10))
        try watching.image("in/LOAN-1/a.jpg", 1)
        try await watching.run {
            await watching.events.wait { $0.contains { if case .problem = $0 { true } else { false } } }
            try watching.folder.write("in/manifest.csv", text: "path\nLOAN-1/a.jpg\n")
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.events.problems == ["1 manifest_invalid", "1 mended manifest_invalid"])
    }

    // MARK: The ledger

    private static func file(_ number: Int, root: Int) -> WatchedPath {
        WatchedPath(root: root, path: "/in/\(root)/\(number)")
    }

    @Test("Files that wait for their root give way to other roots' files, and to none of their own")
    func room() throws {
        var settings = WatchSettings(inputs: ImageRules.options())
        settings.pendingFiles = 4
        var ledger = WatchLedger(settings)
        let shape = FileShape(device: 1, inode: 1, size: 1, modified: 1, names: 1)
        for number in 0..<4 {
            let file = Self.file(number, root: 0)
            ledger.noticed(file, isClosed: true, now: .zero)
            _ = ledger.dueLooks(now: .zero, limit: 1)
            ledger.looked(at: file, as: shape, now: .zero)
            let next = ledger.nextReady()
            let ready = try #require(next)
            ledger.ended(ready.file, .parked(until: .seconds(300), counts: false), now: .zero)
        }
        let own = ledger.found(Self.file(4, root: 0), as: shape, now: .zero)
        #expect(!own)
        let tooEarly = ledger.rootsWithRoom()
        #expect(tooEarly == [])
        let manifest = ledger.found(Self.file(5, root: 0), as: shape, now: .zero, always: true)
        #expect(manifest && ledger.count == 5)
        for number in 0..<4 {
            let other = ledger.found(Self.file(number, root: 1), as: shape, now: .zero)
            #expect(other && ledger.count == 5)
        }
        let full = ledger.found(Self.file(4, root: 1), as: shape, now: .zero)
        #expect(!full)
        ledger.forget(root: 1)
        let roots = ledger.rootsWithRoom()
        #expect(roots == [0, 1])
        #expect(!ledger.hasMissedFiles)
    }
}

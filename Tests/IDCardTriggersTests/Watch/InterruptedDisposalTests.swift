import Foundation
import Glibc
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardTriggers

/// What is left of a file when the process is killed while it is put away.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct InterruptedDisposalTests {
    /// Puts a photo of one person away, and keeps how its folder looks before each step and at the end.
    ///
    /// - Returns: how many looks there are, in `step-0` and so on.
    private static func steps(of watching: Watching, _ ending: SourceDisposal.Ending) throws -> Int {
        try watching.image("in/scan.jpg", 1)
        try watching.folder.write("in/scan.jpg.json", text: #"{"business_no": "PERSON-1"}"#)
        let path = watching.folder["in/scan.jpg"]
        let root = try WatchedRoot(index: 0, given: watching.folder["in"], settings: watching.settings)
        var file = TakenFile(
            root: root,
            folders: [],
            name: "scan.jpg",
            shape: try #require(try FileShape.of(path: path))
        )
        let sidecar = try #require(try FileShape.of(path: path + ".json"))
        file.companions = [TakenFile.Companion(suffix: ".json", shape: sidecar)]
        let count = Mutex(0)
        let folder = watching.folder
        let look: @Sendable () -> Void = {
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            // As a kill leaves it; what fails here shows in the steps.
            try? Self.copy(folder["in"], to: folder["step-\(number)"])
        }
        _ = try SourceDisposal(file: file, faults: FileMoveFaults(beforeStep: look)).put(as: ending)
        look()
        return count.withLock { $0 }
    }

    private static func copy(_ folder: String, to target: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["cp", "-a", folder, target]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
    }

    @Test(
        "Whenever the process is killed, no sidecar of one person's photo speaks for the next one of its name",
        arguments: [WatchSettings.Disposal.move, .delete],
        [true, false]
    )
    func kills(after: WatchSettings.Disposal, isUsed: Bool) async throws {
        let folder = try TemporaryFolder()
        let first = try Watching(folder) { $0.after = after }
        if isUsed { try folder.write("in/done/scan.jpg", "in/done/scan.jpg.json") }
        let count = try Self.steps(of: first, after == .move ? .done : .deleted)
        #expect(count >= 4)
        for step in 0..<count {
            var second = try Watching(folder) { $0.after = after }
            second.roots = [folder["step-\(step)"]]
            let isStillThere = access(folder["step-\(step)/scan.jpg"], F_OK) == 0
            if !isStillThere { try second.image("step-\(step)/scan.jpg", 2, size: 90) }
            let images = second.files("step-\(step)").count { name in
                !name.contains("/") && (name.hasSuffix(".jpg") || name.hasSuffix(".idcard-taken"))
            }
            let running = second
            try await second.run { await running.events.wait(forPlaced: images) }
            let takes = running.intake.takes
            #expect(takes.allSatisfy { $0.businessNumber == "PERSON-1" && $0.bytes == 64 }, "step \(step)")
            #expect(takes.count == (isStillThere ? images : images - 1), "step \(step)")
            #expect(running.events.refusals == (isStillThere ? [] : ["business_no_missing"]), "step \(step)")
            let left = running.files("step-\(step)").filter { !$0.contains("/") }
            #expect(left == [], "step \(step)")
        }
    }

    @Test("A sidecar whose photo was moved under another name follows it there")
    func follows() async throws {
        let folder = try TemporaryFolder()
        try folder.write("in/done/scan.jpg", "in/done/scan.jpg.json", "in/failed/scan.jpg")
        let first = try Watching(folder)
        // The last step but one: the photo is moved, its sidecar is not.
        let count = try Self.steps(of: first, .done)
        var second = try Watching(folder)
        second.roots = [folder["step-\(count - 2)"]]
        let running = second
        try await second.run { await running.events.waitForFirstScan() }
        #expect(
            running.files("step-\(count - 2)") == [
                "done/scan-2.jpg", "done/scan-2.jpg.json", "done/scan.jpg", "done/scan.jpg.json", "failed/scan.jpg",
            ]
        )
    }

    @Test("Passing names are told apart, with and without marks")
    func names() throws {
        let mark = PassingName.Mark(FileShape(device: 1, inode: 2, size: 3, modified: 4, names: 1))
        for role in PassingName.Role.allCases {
            let name = PassingName("a.b.jpg", role, mark)
            #expect(name.texts.count == PassingName.variants)
            #expect(name.texts.allSatisfy { PassingName($0) == name })
        }
        #expect(PassingName(".front.jpg.idcard-taken")?.own == "front.jpg")
        #expect(PassingName(".front.jpg.idcard-taken")?.mark == nil)
        #expect(PassingName("front.jpg.idcard-taken") == nil)
        #expect(PassingName(".idcard-taken") == nil)
        #expect(PassingName(".front.jpg") == nil)
        #expect(PassingName(String(repeating: "x", count: 240), .image, mark).texts == [])
    }
}

import Foundation
import Glibc
import IDCardCore
import IDCardTesting
import Testing

@testable import IDCardTriggers

/// Source files that cannot be put away, or not in the usual way.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct DisposalRefusalTests {
    private let watching: Watching

    init() throws {
        self.watching = try Watching()
    }

    private func taken(_ name: String) throws -> TakenFile {
        let path = self.watching.folder["in/\(name)"]
        let root = try WatchedRoot(index: 0, given: self.watching.folder["in"], settings: Watching.settings)
        var file = TakenFile(root: root, folders: [], name: name, shape: try #require(try FileShape.of(path: path)))
        if let shape = try? FileShape.of(path: path + ".json") {
            file.companions = [TakenFile.Companion(suffix: ".json", shape: shape)]
        }
        return file
    }

    private static let note = FailureNote(code: .businessNumberMissing, message: "none", time: "2026-01-01T00:00:00Z")

    @Test("A name that a file is to bear for a moment and another one has is passed over")
    func takenName() throws {
        try self.watching.image("in/front.jpg", 1)
        try self.watching.folder.write("in/front.jpg.json", text: "{}")
        let file = try self.taken("front.jpg")
        let mark = PassingName.Mark(file.shape)
        for name in [PassingName("front.jpg", .image, mark), PassingName("front.jpg.json", .companion, mark)] {
            try self.watching.folder.write("in/" + (try #require(name.texts.first)))
        }
        try self.watching.folder.write("in/.front.jpg.idcard-taken")
        #expect(try SourceDisposal(file: file).put(as: .deleted) == .deleted)
        #expect(self.watching.files().count == 3)
        #expect(self.watching.files().allSatisfy { $0.hasPrefix(".") })
    }

    @Test("Where no name is free the file and its sidecar stay as they are, and that is an error")
    func noName() throws {
        try self.watching.image("in/front.jpg", 1)
        try self.watching.folder.write("in/front.jpg.json", text: "{}")
        let file = try self.taken("front.jpg")
        for name in PassingName("front.jpg", .image, PassingName.Mark(file.shape)).texts {
            try self.watching.folder.write("in/" + name)
        }
        #expect(throws: SystemFailure(code: EEXIST)) { try SourceDisposal(file: file).put(as: .deleted) }
        #expect(self.watching.files().filter { !$0.hasPrefix(".") } == ["front.jpg", "front.jpg.json"])
        #expect(self.watching.files().count == PassingName.variants + 2)
    }

    @Test("A file that cannot be deleted is told of once, and tried again after waits that grow")
    func neverDeleted() async throws {
        let watching = try Watching {
            $0.after = .delete
            $0.rescanInterval = .milliseconds(30)
            $0.retryCap = .seconds(3600)
        }
        try watching.image("in/LOAN-1/front.jpg", 1)
        let shape = try #require(try FileShape.of(path: watching.folder["in/LOAN-1/front.jpg"]))
        for name in PassingName("front.jpg", .image, PassingName.Mark(shape)).texts {
            try watching.folder.write("in/LOAN-1/\(name)/in the way")
        }
        try await watching.run {
            await watching.events.wait { _ in watching.intake.calls > 2 }
            await watching.events.wait(forScans: 20)
        }
        // 20 ms, doubled each time.
        #expect(watching.intake.calls < 12)
        #expect(Self.taken(watching) == 1)
        #expect(watching.events.places == [])
        #expect(watching.events.problems == ["1 disposal_failed"])
    }

    @Test("What was told of a file that cannot be put away is told once, and one that can is told of all the same")
    func toldOnce() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(30) }
        for place in ["in/done/LOAN-1", "in/failed"] {
            try watching.folder.write(place, text: "a file in the place of a folder")
        }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/none.jpg", 2)
        try await watching.run {
            await watching.events.wait { _ in watching.intake.calls > 4 }
            try watching.image("in/LOAN-2/front.jpg", 3)
            await watching.events.wait(forPlaced: 1)
            let calls = watching.intake.calls
            await watching.events.wait(forScans: 10)
            await watching.events.wait { _ in watching.intake.calls > calls + 2 }
        }
        #expect(Self.taken(watching) == 2)
        #expect(watching.events.refusals == ["business_no_missing"])
        #expect(watching.events.problems == ["1 disposal_failed"])
    }

    private static func taken(_ watching: Watching) -> Int {
        watching.events.all.count { if case .taken = $0 { true } else { false } }
    }

    @Test("Where neither names can be kept nor second ones given, a file is put away all the same, and replaces none")
    func plainRename() throws {
        let faults = FileMoveFaults(onRename: SystemFailure(code: EINVAL), onLink: SystemFailure(code: EPERM))
        for number in 1...2 {
            for ending in [SourceDisposal.Ending.done, .failed(Self.note), .deleted] {
                try self.watching.image("in/front.jpg", number)
                try self.watching.folder.write("in/front.jpg.json", text: "{}")
                let place = try SourceDisposal(file: self.taken("front.jpg"), faults: faults).put(as: ending)
                #expect(place != .gone)
            }
        }
        #expect(
            self.watching.files() == [
                "done/front-2.jpg", "done/front-2.jpg.json", "done/front.jpg", "done/front.jpg.json",
                "failed/front-2.jpg", "failed/front-2.jpg.failed.json", "failed/front-2.jpg.json", "failed/front.jpg",
                "failed/front.jpg.failed.json", "failed/front.jpg.json",
            ]
        )
        let first = try Data(contentsOf: URL(fileURLWithPath: self.watching.folder["in/done/front.jpg"]))
        #expect(first.contains(UInt8(ascii: "1")) && !first.contains(UInt8(ascii: "2")))
    }

    @Test("A file that appears under the new name before it can be had is not replaced, whatever the way")
    func reserved() throws {
        try self.watching.image("in/a.jpg", 1)
        try self.watching.image("in/b.jpg", 2)
        let folder = try FolderDescriptor(path: self.watching.folder["in"])
        var faults = FileMoveFaults()
        for (rename, link) in [(nil, nil), (EINVAL, nil), (EINVAL, EPERM), (ENOSYS, ENOTSUP)] as [(Int32?, Int32?)] {
            faults.onRename = rename.map { SystemFailure(code: $0) }
            faults.onLink = link.map { SystemFailure(code: $0) }
            let step = ExclusiveRename(faults: faults)
            #expect(try step.rename("a.jpg", in: folder, to: "b.jpg", in: folder) == .nameTaken)
            #expect(try step.rename("none.jpg", in: folder, to: "c.jpg", in: folder) == .absent)
            #expect(try step.rename("a.jpg", in: folder, to: "c.jpg", in: folder) == .renamed)
            #expect(try step.rename("c.jpg", in: folder, to: "a.jpg", in: folder) == .renamed)
            #expect(self.watching.files() == ["a.jpg", "b.jpg"])
        }
    }

    @Test("A folder that cannot be made is told of by what kept it from being made")
    func unmakeable() throws {
        // Nobody makes folders there, nor in /proc where the answer is another.
        let folder = try FolderDescriptor(path: "/sys/kernel")
        let failure = #expect(throws: SystemFailure.self) {
            _ = try FolderDescriptor(path: "/sys/kernel").below(["idcard"], making: true)
        }
        #expect(try !folder.has("idcard"))
        #expect(failure?.code != ENOENT)
    }
}

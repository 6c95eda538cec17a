import CardModel
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import CardInput

/// Watched folders whose file system does not answer, such as a share of a server that is gone.
@Suite(.timeLimit(.minutes(1))) struct SilentFolderTests {
    /// Has the calls in the second folder wait until the gate opens.
    private final class Gate: Sendable {
        private let held = Mutex<[@Sendable () -> Void]?>(nil)

        func perform(_ root: Int, _ body: @escaping @Sendable () -> Void) {
            let isHeld = self.held.withLock { held in
                guard root == 1, held != nil else { return false }
                held?.append(body)
                return true
            }
            if !isHeld { DispatchQueue.global().async(execute: body) }
        }

        var isHolding: Bool { self.held.withLock { $0?.isEmpty == false } }

        func close() { self.held.withLock { $0 = [] } }

        func open() {
            let bodies = self.held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            for body in bodies { DispatchQueue.global().async(execute: body) }
        }
    }

    private let gate = Gate()

    private func watching() throws -> Watching {
        let folder = TemporaryFolder()
        try folder.makeFolder("share")
        var watching = try Watching(folder) { $0.folders.append(folder["share"]) }
        watching.perform = self.gate.perform
        return watching
    }

    @Test func `A folder that does not answer is told of once, holds up no other, and is mended`() async throws {
        let watching = try self.watching()
        let share = watching.folder["share"]
        self.gate.close()
        try await watching.run { watch in
            try watching.photo("in/LOAN-1/a.jpg", 1)
            try watching.photo("share/LOAN-2/b.jpg", 2)
            await watching.reports.wait(forPlaced: 1)
            while watching.reports.problems(of: share).isEmpty, !Task.isCancelled {
                watching.time.pass(WatchLimits.silence)
                for _ in 1...100 { await Task.yield() }
            }
            try watching.photo("in/LOAN-1/c.jpg", 3)
            await watching.reports.wait(forPlaced: 2)
            #expect(watching.reports.problems(of: share) == ["watch_folder_missing"])
            self.gate.open()
            await watching.reports.wait(forPlaced: 3)
        }
        #expect(watching.reports.problems(of: share) == ["watch_folder_missing", "mended watch_folder_missing"])
        #expect(watching.pipeline.names == ["LOAN-1 a.jpg", "LOAN-1 c.jpg", "LOAN-2 b.jpg"])
    }

    @Test func `A scan that is asked for while another one is under way comes after it`() async throws {
        let watching = try self.watching()
        let share = watching.folder["share"]
        try await watching.run(afterScans: 2) { watch in
            self.gate.close()
            await watch.makeScansDue()
            while !self.gate.isHolding, !Task.isCancelled { await Task.yield() }
            // As when inotify says now that changes were lost.
            await watch.makeScansDue()
            self.gate.open()
            await watching.reports.wait { events in
                events.count { if case .scanned(let folder, _, _) = $0 { folder.reveal() == share } else { false } }
                    == 3
            }
            #expect(!Task.isCancelled)
        }
    }

    @Test func `The end waits for no folder that does not answer`() async throws {
        let watching = try self.watching()
        self.gate.close()
        try await watching.run(afterScans: 1) { _ in }
        self.gate.open()
    }

    @Test func `A look at the start that does not end is no answer`() {
        let never = DispatchSemaphore(value: 0)
        let look = WatchOptions.inTime(.milliseconds(50)) {
            never.wait()
            return true
        }
        #expect(look == nil)
        never.signal()
        #expect(WatchOptions.inTime { true } == true)
    }
}

import Glibc
import IDCardTesting
import Testing

@testable import IDCardTriggers

/// What inotify tells of files that are being written, and of those that only got a name.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct NewsTests {
    @Test("A file that a scan finds before inotify was heard of it is not taken while it is open")
    func lateNews() async throws {
        var watching = try Watching {
            $0.quietTime = .milliseconds(20)
            $0.rescanInterval = .milliseconds(20)
        }
        let gate = ReaderGate()
        watching.faults.beforeReading = { gate.pass() }
        try watching.folder.makeFolder("in/LOAN-1")
        let running = watching
        try await watching.run {
            await running.events.waitForFirstScan()
            gate.close()
            let file = open(running.folder["in/LOAN-1/slow.jpg"], O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            let bytes = ImageRules.jpegStart
            #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
            // Each scan lasts longer than a file has to stand still.
            await running.events.wait(forScans: 5)
            #expect(running.intake.calls == 0)
            gate.open()
            await running.events.wait(forScans: 5)
            #expect(running.intake.calls == 0)
            close(file)
            await running.events.wait(forPlaced: 1)
        }
        #expect(watching.intake.takes.map(\.bytes) == [4])
    }

    @Test("A file that is moved in by a second name, as SFTP servers do, only has to stand still")
    func secondName() async throws {
        let watching = try Watching {
            $0.openWait = .seconds(3600)
            $0.rescanInterval = .seconds(3600)
        }
        try watching.folder.makeFolder("in/LOAN-1")
        try await watching.run {
            await watching.events.waitForFirstScan()
            for name in ["in/LOAN-1/front.jpg.part", "elsewhere/back.jpg"] {
                try watching.image(name, name.utf8.count)
                let target = name == "elsewhere/back.jpg" ? "in/LOAN-1/back.jpg" : "in/LOAN-1/front.jpg"
                #expect(link(watching.folder[name], watching.folder[target]) == 0)
                #expect(unlink(watching.folder[name]) == 0)
            }
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.files() == ["done/LOAN-1/back.jpg", "done/LOAN-1/front.jpg"])
    }

    @Test("A name that appears counts as open once somebody writes, or while the file is empty")
    func appearance() {
        let file = PathBytes("/in/a.jpg")
        func shape(_ size: Int64) -> FileShape {
            FileShape(device: 1, inode: 1, size: size, modified: size, names: 1)
        }
        func stability() -> FileStability {
            FileStability(quietTime: .seconds(5), closeWait: .zero, openWait: .seconds(600))
        }
        var linked = stability()
        linked.appeared(file)
        #expect(linked.seen(file, as: shape(9), now: .zero) == .lookAgain(at: .seconds(5)))
        #expect(linked.seen(file, as: shape(9), now: .seconds(5)) == .complete)
        #expect(!linked.hasJustAppeared(file))
        var empty = stability()
        empty.appeared(file)
        #expect(empty.seen(file, as: shape(0), now: .zero) == .lookAgain(at: .seconds(600)))

        var ledger = WatchLedger(WatchSettings(inputs: ImageRules.options()))
        let path = WatchedPath(root: 0, path: "/in/a.jpg")
        ledger.appeared(path, now: .zero)
        _ = ledger.dueLooks(now: .zero, limit: 1)
        ledger.looked(at: path, as: shape(9), now: .zero)
        #expect(ledger.nextDue == .seconds(5))
        let isNews = ledger.modified(path, now: .seconds(1))
        let isNewsAgain = ledger.modified(path, now: .seconds(1))
        #expect(isNews && !isNewsAgain)
        _ = ledger.dueLooks(now: .seconds(1), limit: 1)
        ledger.looked(at: path, as: shape(9), now: .seconds(1))
        let early = ledger.dueLooks(now: .seconds(600), limit: 1)
        #expect(early.isEmpty)
    }
}

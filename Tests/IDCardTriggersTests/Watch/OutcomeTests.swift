import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardTriggers

/// What becomes of source files, by what the pipeline says of them.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct OutcomeTests {
    @Test("Only what is durable is put away: the file is in its place as long as it is being taken in")
    func durableFirst() async throws {
        let folder = try TemporaryFolder()
        let places = Mutex<[Bool]>([])
        let intake = FakeIntake(afterCommit: { item in
            let isThere = access(item.path.reveal(), F_OK) == 0
            places.withLock { $0.append(isThere) }
        })
        let watching = try Watching(folder, intake: intake)
        for number in 0..<10 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        try await watching.run { await watching.events.wait(forPlaced: 10) }
        #expect(places.withLock { $0 } == Array(repeating: true, count: 10))
    }

    @Test(
        "A process that dies after the commit and before the move finds the card again, and moves the file",
        arguments: [WatchSettings.Disposal.move, .delete]
    )
    func crash(after: WatchSettings.Disposal) async throws {
        let folder = try TemporaryFolder()
        let isFirst = Mutex(true)
        let intake = FakeIntake(afterCommit: { _ in
            let dies = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if dies { throw StoreError(.unavailable, "the process dies here") }
        })
        let first = try Watching(folder, intake: intake) { $0.after = after }
        try first.image("in/LOAN-1/front.jpg", 1)
        await #expect(throws: StoreError.self) { try await first.makeWatch().run() }
        #expect(first.files() == ["LOAN-1/front.jpg"])
        #expect(intake.cards == 1)

        let second = try Watching(folder, intake: intake) { $0.after = after }
        try await second.run { await second.events.wait(forPlaced: 1) }
        #expect(second.files() == (after == .move ? ["done/LOAN-1/front.jpg"] : []))
        #expect(intake.takes.map(\.isDuplicate) == [false, true])
        #expect(intake.takes.map(\.wasRead) == [true, false])
    }

    @Test("A sidecar that was left behind when the process died follows its image; a newer one does not")
    func leftBehind() async throws {
        let folder = try TemporaryFolder()
        try folder.write("in/LOAN-1/front.jpg.json", text: "{}")
        try folder.write("in/LOAN-1/bad.jpg.json", text: "{}")
        try folder.write("in/done/LOAN-1/front.jpg", "in/failed/LOAN-1/bad.jpg", "in/done/LOAN-1/later.jpg")
        try folder.write("in/LOAN-1/later.jpg.json", text: "{}")
        try Self.change(folder["in/done/LOAN-1/front.jpg"], after: folder["in/LOAN-1/front.jpg.json"])
        try Self.change(folder["in/failed/LOAN-1/bad.jpg"], after: folder["in/LOAN-1/bad.jpg.json"])
        try Self.change(folder["in/LOAN-1/later.jpg.json"], after: folder["in/done/LOAN-1/later.jpg"])
        let watching = try Watching(folder) { $0.rescanInterval = .milliseconds(50) }
        try await watching.run {
            try watching.image("in/LOAN-9/mark.jpg", 9)
            await watching.events.wait(forPlaced: 1)
            await watching.events.wait(forScans: 10)
        }
        #expect(
            watching.files() == [
                "LOAN-1/later.jpg.json", "done/LOAN-1/front.jpg", "done/LOAN-1/front.jpg.json",
                "done/LOAN-1/later.jpg", "done/LOAN-9/mark.jpg", "failed/LOAN-1/bad.jpg", "failed/LOAN-1/bad.jpg.json",
            ]
        )
    }

    /// Lets one file have changed later than another; the system's clock for files is coarse.
    private static func change(_ path: String, after other: String) throws {
        var (own, others) = (stat(), stat())
        repeat {
            guard chmod(path, 0o600) == 0, stat(path, &own) == 0, stat(other, &others) == 0 else {
                throw POSIXError(.EIO)
            }
        } while FileIdentity.nanoseconds(own.st_ctim) <= FileIdentity.nanoseconds(others.st_ctim)
    }

    @Test("The same bytes again are moved, too, under the next free name, and are no new card")
    func duplicates() async throws {
        let watching = try Watching()
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            try watching.image("in/LOAN-1/front.jpg", 1)
            await watching.events.wait(forPlaced: 2)
            try watching.image("in/LOAN-1/copy.jpg", 1)
            await watching.events.wait(forPlaced: 3)
        }
        #expect(watching.files("in/done/LOAN-1") == ["copy.jpg", "front-2.jpg", "front.jpg"])
        #expect(watching.files().count == 3)
        #expect(watching.intake.takes.map(\.isDuplicate) == [false, true, true])
        // Nothing is left to be told of at the next start.
        let again = try Watching(watching.folder, intake: watching.intake)
        try await again.run { await again.events.waitForFirstScan() }
        #expect(again.intake.calls == 3)
    }

    @Test("Two names of one file are two inputs and one card")
    func hardLinks() async throws {
        let watching = try Watching()
        try watching.image("in/LOAN-1/front.jpg", 1)
        #expect(link(watching.folder["in/LOAN-1/front.jpg"], watching.folder["in/LOAN-1/again.jpg"]) == 0)
        try await watching.run {
            await watching.events.wait(forPlaced: 2)
            #expect(link(watching.folder["in/done/LOAN-1/front.jpg"], watching.folder["in/LOAN-1/front.jpg"]) == 0)
            await watching.events.wait(forPlaced: 3)
        }
        #expect(watching.intake.cards == 1)
        #expect(watching.files() == ["done/LOAN-1/again.jpg", "done/LOAN-1/front.jpg"])
    }

    @Test("With after: delete the file goes once its card is durable")
    func delete() async throws {
        let watching = try Watching { $0.after = .delete }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"user_no": "u-1"}"#)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.files() == [])
        #expect(watching.intake.takes.map(\.metadata.userNumber?.description) == ["<redacted>"])
        #expect(watching.events.places == [.deleted])
    }

    @Test("With after: leave the file stays, is taken once, and again only when it changes")
    func leave() async throws {
        let watching = try Watching {
            $0.after = .leave
            $0.rescanInterval = .milliseconds(30)
        }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/none.jpg", 5)
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: "{}")
        try await watching.run {
            await watching.events.wait(forPlaced: 2)
            await watching.events.wait(forScans: 10)
            #expect(watching.intake.calls == 1)
            // Closed without having been written to, as by a virus scanner.
            close(open(watching.folder["in/LOAN-1/front.jpg"], O_RDWR | O_CLOEXEC))
            await watching.events.wait(forScans: 5)
            #expect(watching.intake.calls == 1)
            try watching.image("in/LOAN-1/front.jpg", 2)
            await watching.events.wait(forPlaced: 3)
            // What a sidecar says anew reaches the card.
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"side": "back"}"#)
            await watching.events.wait(forPlaced: 4)
        }
        #expect(watching.files() == ["LOAN-1/front.jpg", "LOAN-1/front.jpg.json", "none.jpg"])
        #expect(watching.intake.takes.last?.metadata.side == .back)
        #expect(watching.events.refusals == ["business_no_missing"])
    }

    @Test("With after: leave a restart takes everything again, and reads nothing")
    func leaveAndRestart() async throws {
        let first = try Watching { $0.after = .leave }
        for number in 0..<5 { try first.image("in/LOAN-1/\(number).jpg", number) }
        try await first.run { await first.events.wait(forPlaced: 5) }
        let second = try Watching(first.folder, intake: first.intake) { $0.after = .leave }
        try await second.run { await second.events.wait(forPlaced: 5) }
        #expect(first.intake.takes.suffix(5).allSatisfy { $0.isDuplicate && !$0.wasRead })
    }

    @Test("A refused file goes to failed, with a note that names code, message and time and no person")
    func refused() async throws {
        let intake = FakeIntake(answer: { _, _ in
            .refused(ReasonCode(rawValue: "image_too_large_bytes"), message: "the file has too many bytes")
        })
        let watching = try Watching(intake: intake)
        try watching.image("in/LOAN-1/zhang san.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(
            watching.files() == ["failed/LOAN-1/zhang san.jpg", "failed/LOAN-1/zhang san.jpg.failed.json"]
        )
        let note = try watching.note("in/failed/LOAN-1/zhang san.jpg.failed.json")
        #expect(note["code"] == "image_too_large_bytes")
        #expect(note["message"] == "the file has too many bytes")
        #expect(Set(note.keys) == ["code", "message", "time"])
        #expect(watching.events.places == [.failed])
    }

    @Test("An image that becomes a rejected card goes to failed, with the card's number in the note")
    func rejected() async throws {
        let intake = FakeIntake(answer: { item, _ in
            guard case .take(let metadata) = item.disposition else { return nil }
            var card = FakeIntake.card(metadata, number: 7, state: .rejected)
            card.reason = ReasonCode(rawValue: "image_corrupt")
            card.message = "the image is damaged"
            return .admitted(card)
        })
        let watching = try Watching(intake: intake)
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        let note = try watching.note("in/failed/LOAN-1/front.jpg.failed.json")
        #expect(note["card_id"] == "card-7")
        #expect(note["code"] == "image_corrupt")
    }

    @Test(
        "What is not the file's fault is tried again until it is mended",
        arguments: ["disk_space_low", "source_changed", "queue_full", "shutting_down", "decoder_unavailable"]
    )
    func triedAgain(reason: String) async throws {
        let intake = FakeIntake(answer: { _, call in
            call < 4 ? .refused(ReasonCode(rawValue: reason), message: "not now") : nil
        })
        let watching = try Watching(intake: intake)
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.events.putOff == [reason, reason, reason])
        #expect(watching.events.places == [.done])
        #expect(watching.events.refusals == [])
    }

    @Test("An image that no decoder is ever free for is refused after its attempts, a full disk never")
    func attempts() async throws {
        let intake = FakeIntake(answer: { item, call in
            item.source.reveal().hasSuffix("disk.jpg")
                ? .refused(.diskSpaceLow, message: "full")
                : .refused(ReasonCode(rawValue: "decoder_unavailable"), message: "stopped")
        })
        let watching = try Watching(intake: intake) { $0.attempts = 3 }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-1/disk.jpg", 2)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            await watching.events.wait { $0.count { if case .putOff = $0 { true } else { false } } > 10 }
        }
        #expect(watching.events.refusals == ["decoder_unavailable"])
        #expect(watching.events.putOff.count { $0 == "decoder_unavailable" } == 2)
        #expect(watching.files("in/LOAN-1") == ["disk.jpg"])
    }

    @Test("Damage to one card's data is tried again and then refused; a store that fails ends the watch")
    func storeErrors() async throws {
        let one = try Watching(intake: FakeIntake(answer: { _, _ in throw StoreError(.notFound, "no such image") })) {
            $0.attempts = 2
        }
        try one.image("in/LOAN-1/front.jpg", 1)
        try await one.run { await one.events.wait(forPlaced: 1) }
        #expect(one.events.refusals == ["store_failed"])

        let all = try Watching(intake: FakeIntake(answer: { _, _ in throw StoreError(.unavailable, "the disk fails") }))
        try all.image("in/LOAN-1/front.jpg", 1)
        await #expect(throws: StoreError.self) { try await all.makeWatch().run() }
        #expect(all.files() == ["LOAN-1/front.jpg"])
    }

    @Test("A file that is replaced while it is taken in is a new input, and the new one is not moved for the old")
    func replacedDuringTake() async throws {
        let folder = try TemporaryFolder()
        let count = Mutex(0)
        let intake = FakeIntake(afterCommit: { item in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return }
            try folder.write("in/LOAN-1/.new", bytes: ImageRules.jpegStart + [2])
            guard rename(folder["in/LOAN-1/.new"], item.path.reveal()) == 0 else { throw POSIXError(.EIO) }
        })
        let watching = try Watching(folder, intake: intake) { $0.rescanInterval = .seconds(3600) }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(watching.events.places == [.gone, .done])
        #expect(intake.cards == 2)
        #expect(watching.files() == ["done/LOAN-1/front.jpg"])
    }

    @Test("A file that is touched while it is taken in is moved, and is no second card")
    func touchedDuringTake() async throws {
        let folder = try TemporaryFolder()
        let count = Mutex(0)
        let intake = FakeIntake(afterCommit: { item in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { utimes(item.path.reveal(), nil) }
        })
        let watching = try Watching(folder, intake: intake)
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 2) }
        #expect(intake.cards == 1)
        #expect(watching.files() == ["done/LOAN-1/front.jpg"])
    }

    @Test("Files that vanish between look and take leave no word and no problem")
    func vanishing() async throws {
        let folder = try TemporaryFolder()
        let intake = FakeIntake(answer: { item, _ in
            unlink(item.path.reveal())
            return nil
        })
        let watching = try Watching(folder, intake: intake) { $0.rescanInterval = .milliseconds(30) }
        for number in 0..<5 { try watching.image("in/LOAN-1/\(number).jpg", number) }
        try await watching.run {
            await watching.events.wait { _ in intake.calls == 5 }
            await watching.events.wait(forScans: 5)
        }
        #expect(intake.calls == 5)
        #expect(watching.events.refusals == [])
        #expect(watching.events.problems == [])
        #expect(watching.files() == [])
    }

    @Test(
        "A folder for done files that cannot be made is told of once; cards go on, and files follow once it is mended"
    )
    func disposalFails() async throws {
        let watching = try Watching { $0.rescanInterval = .milliseconds(50) }
        try watching.folder.write("in/done", text: "a file in the place of the folder")
        try watching.image("in/LOAN-1/front.jpg", 1)
        try watching.image("in/LOAN-1/back.jpg", 2)
        try await watching.run {
            await watching.events.wait { _ in watching.intake.calls > 3 }
            #expect(watching.events.problems == ["1 disposal_failed"])
            #expect(watching.intake.cards == 2)
            unlink(watching.folder["in/done"])
            await watching.events.wait(forPlaced: 2)
        }
        #expect(watching.files() == ["done/LOAN-1/back.jpg", "done/LOAN-1/front.jpg"])
        #expect(watching.events.problems == ["1 disposal_failed", "1 mended disposal_failed"])
    }

    @Test("What is no image stays, and is looked into once", arguments: [true, false])
    func noImages(startsAfter: Bool) async throws {
        let sniffs = Mutex(0)
        let watching = try Watching {
            $0.rescanInterval = .milliseconds(30)
            $0.inputs.recognisesImage = { bytes, _ in
                sniffs.withLock { $0 += 1 }
                return bytes.starts(with: ImageRules.jpegStart)
            }
        }
        if startsAfter { try watching.folder.write("in/LOAN-1/notes.txt", text: "no image") }
        try await watching.run {
            await watching.events.waitForFirstScan()
            if !startsAfter { try watching.folder.write("in/LOAN-1/notes.txt", text: "no image") }
            try watching.image("in/LOAN-1/no extension", 1)
            await watching.events.wait(forPlaced: 1)
            await watching.events.wait { _ in sniffs.withLock { $0 } == 2 }
            await watching.events.wait(forScans: 10)
        }
        #expect(sniffs.withLock { $0 } == 2)
        #expect(watching.files() == ["LOAN-1/notes.txt", "done/LOAN-1/no extension"])
    }

    @Test(
        "Names of half-done copies and of other programs are no inputs",
        arguments: [
            "a.jpg.part", "a.jpg.filepart", "a.jpg.tmp", "A.JPG.TMP", "a.jpg.crdownload", "a.jpg~", ".a.jpg",
            "._a.jpg", "@eaDir/a.jpg", ".stfolder/a.jpg", "lost+found/a.jpg", "~$a.jpg", "a.jpg.swp", "draft-a.jpg",
            "Thumbs.db", "desktop.ini", ".DS_Store",
        ]
    )
    func ignoredNames(name: String) {
        let names = WatchedNames(ignoring: ["draft-*"])
        let isIgnored = name.split(separator: "/").contains { !names.mayBeInput(String($0)) }
        #expect(isIgnored)
        #expect(names.mayBeInput("a.jpg"))
        #expect(names.mayBeInput("照片.jpg"))
    }
}

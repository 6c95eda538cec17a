import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import IDCardTriggers
import Testing

/// Sidecars that come after their images.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2)))) struct LateSidecarTests {
    private static let sidecar = #"{"business_no": "RIGHT"}"#

    private static func waitForPutOff(_ watching: Watching) async {
        await watching.events.wait { events in
            events.contains { if case .putOff(_, .sidecarMissing, _) = $0 { true } else { false } }
        }
    }

    @Test("Where sidecars are expected, an image that has only its folder's number waits for its own")
    func expected() async throws {
        let watching = try Watching {
            $0.sidecar = .expected
            $0.sidecarWait = .seconds(3600)
        }
        try await watching.run {
            await watching.events.waitForFirstScan()
            try watching.image("in/LOAN-1/front.jpg", 1)
            await Self.waitForPutOff(watching)
            #expect(watching.intake.calls == 0)
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: Self.sidecar)
            await watching.events.wait(forPlaced: 1)
        }
        #expect(watching.intake.takes.map(\.businessNumber) == ["RIGHT"])
    }

    @Test("An image whose sidecar does not come is taken in under the number of its folder")
    func waitsInVain() async throws {
        let watching = try Watching { $0.sidecar = .expected }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.events.putOff == ["sidecar_missing"])
        #expect(watching.intake.takes.map(\.businessNumber) == ["LOAN-1"])
    }

    @Test("What a manifest names does not wait for a sidecar")
    func manifest() async throws {
        let watching = try Watching {
            $0.sidecar = .expected
            $0.sidecarWait = .seconds(3600)
        }
        try watching.folder.write("in/manifest.csv", text: "path,business_no\nLOAN-1/a.jpg,X\n")
        try watching.image("in/LOAN-1/a.jpg", 1)
        try await watching.run { await watching.events.wait(forPlaced: 1) }
        #expect(watching.intake.takes.map(\.businessNumber) == ["X"])
    }

    @Test(
        "By default they are expected in a folder that has ever held a sidecar or a manifest, and only there",
        arguments: ["in/other.jpg.json", "in/LOAN-2/other.jpg.json", "in/manifest.csv", "in/notes.json", nil]
    )
    func learnt(file: String?) async throws {
        let folder = try TemporaryFolder()
        let intake = FakeIntake()
        if let file {
            let first = try Watching(folder, intake: intake)
            try folder.write(file, text: file.hasSuffix(".csv") ? "path,business_no\n" : "{}")
            try first.image("in/LOAN-1/first.jpg", 1)
            try await first.run { await first.events.wait(forPlaced: 1) }
            try FileManager.default.removeItem(atPath: folder[file])
        }
        let isHeld = file != nil && file != "in/notes.json"
        // As after a restart; the intake stands for the sandbox.
        let second = try Watching(folder, intake: intake) { if isHeld { $0.sidecarWait = .seconds(3600) } }
        try second.image("in/LOAN-1/second.jpg", 2)
        try await second.run {
            if isHeld { await Self.waitForPutOff(second) } else { await second.events.wait(forPlaced: 1) }
        }
        #expect(second.events.putOff == (isHeld ? ["sidecar_missing"] : []))
        // Another folder, of which nothing is known.
        var third = try Watching(folder, intake: intake)
        try third.image("elsewhere/LOAN-1/third.jpg", 3)
        third.roots = [folder["elsewhere"]]
        let running = third
        try await third.run { await running.events.wait(forPlaced: 1) }
        #expect(running.events.putOff == [])
    }

    /// A watch that has taken an image in, and then meets its sidecar.
    private static func late(_ amendment: @escaping @Sendable (CardMetadata) -> Amendment) async throws -> Watching {
        let intake = FakeIntake(amendment: amendment)
        let watching = try Watching(intake: intake) { $0.rescanInterval = .milliseconds(50) }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run {
            await watching.events.wait(forPlaced: 1)
            try watching.folder.write("in/LOAN-1/front.jpg.json", text: Self.sidecar)
            await watching.events.wait { _ in !intake.amendments.isEmpty }
            await watching.events.wait(forScans: 5)
        }
        #expect(intake.amendments == ["LOAN-1 → RIGHT"])
        #expect(intake.takes.count == 1)
        return watching
    }

    private static func outcomes(_ watching: Watching) -> [String] {
        watching.events.all.compactMap {
            if case .sidecarLate(_, let card, let outcome) = $0 { "\(card) \(outcome.rawValue)" } else { nil }
        }
    }

    @Test("A late sidecar is applied to its card, and told of")
    func applied() async throws {
        let watching = try await Self.late { .applied(FakeIntake.card($0)) }
        #expect(Self.outcomes(watching) == ["card-0 applied"])
        #expect(watching.files() == ["done/LOAN-1/front.jpg", "done/LOAN-1/front.jpg.json"])
    }

    @Test("One that comes too late is told of, and lies with a note among what is refused")
    func tooLate() async throws {
        let watching = try await Self.late { .tooLate(FakeIntake.card($0, state: .delivering)) }
        #expect(Self.outcomes(watching) == ["card-0 too_late"])
        #expect(
            watching.files() == [
                "done/LOAN-1/front.jpg", "failed/LOAN-1/front.jpg.json", "failed/LOAN-1/front.jpg.json.failed.json",
            ]
        )
        let note = try watching.note("in/failed/LOAN-1/front.jpg.json.failed.json")
        #expect(note["code"] == "sidecar_late")
        #expect(note["card_id"] == "card-0")
    }

    @Test("One that may belong to an image still to come stays where it is", arguments: [true, false])
    func uncertain(isKnown: Bool) async throws {
        let watching = try await Self.late { _ in isKnown ? .uncertain(CardID(rawValue: "card-0")) : .unknown }
        #expect(Self.outcomes(watching) == (isKnown ? ["card-0 uncertain"] : []))
        #expect(watching.files() == ["LOAN-1/front.jpg.json", "done/LOAN-1/front.jpg"])
    }

    @Test("One that comes while its image is being taken in is applied, too")
    func meanwhile() async throws {
        let folder = try TemporaryFolder()
        let intake = FakeIntake(
            afterCommit: { _ in try folder.write("in/LOAN-1/front.jpg.json", text: Self.sidecar) },
            amendment: { .applied(FakeIntake.card($0)) }
        )
        let watching = try Watching(folder, intake: intake) { $0.sidecar = .optional }
        try watching.image("in/LOAN-1/front.jpg", 1)
        try await watching.run { await watching.events.wait { _ in watching.files("in/LOAN-1") == [] } }
        #expect(intake.amendments == ["LOAN-1 → RIGHT"])
        #expect(Self.outcomes(watching) == ["card-0 applied"])
        #expect(watching.files() == ["done/LOAN-1/front.jpg", "done/LOAN-1/front.jpg.json"])
    }
}

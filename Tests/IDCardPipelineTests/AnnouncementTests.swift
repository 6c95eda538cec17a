import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// Inputs of a service that are announced before they are taken in.
@Suite("Announced inputs", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct AnnouncementTests {
    private static let front = "front;\(Holder.first)"

    private func harness(_ kind: StoreKind) throws -> PipelineHarness {
        // Nothing but the announcement holds a back.
        try PipelineHarness(kind) { $0.frontWait = .zero }
    }

    /// Waits until a back is told to wait, or leaves.
    private func firstWord(_ harness: PipelineHarness) async -> CardState? {
        let event = await harness.log.first { event in
            switch event {
            case .cardWaits: true
            case .cardChanged(let card): card.state == .delivering
            default: false
            }
        }
        return if case .cardChanged(let card)? = event { card.state } else { nil }
    }

    private func take(_ item: IntakeItem, _ engine: Engine, _ announcement: IntakeAnnouncement) async throws {
        try await announcement.arrived(item, try await engine.take(item))
    }

    /// What a look through the folder of the photos finds.
    private func list(_ items: [IntakeItem], in harness: PipelineHarness) -> IntakeList {
        var list = IntakeList(items)
        list.setRoots(folders: [harness.folder], manifest: nil)
        return list
    }

    @Test("A back waits for a front that the list names after it", arguments: StoreKind.allCases)
    func order(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let items = [try harness.photo("b.jpg", "back;x"), try harness.photo("f.jpg", Self.front)]
        try await harness.serve { engine in
            let announcement = try await engine.announce(self.list(items, in: harness))
            try await self.take(items[0], engine, announcement)
            #expect(await self.firstWord(harness) == nil)
            try await self.take(items[1], engine, announcement)
            await harness.reached(.delivered)
            await harness.reached(.delivered)
        }
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["front", "back"])
    }

    @Test(
        "A back is held while its front was refused, and goes once a later look finds it no more",
        arguments: StoreKind.allCases
    )
    func refused(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let back = try harness.photo("b.jpg", "back;x")
        let front = try harness.photo("f.jpg", Self.front)
        try harness.makeUnreadable(front)
        try await harness.serve { engine in
            let announcement = try await engine.announce(self.list([front, back], in: harness))
            try await self.take(front, engine, announcement)
            try await self.take(back, engine, announcement)
            #expect(await self.firstWord(harness) == nil)
            #expect(harness.backend.attempts.isEmpty)
            // A later look finds it still.
            _ = try await engine.announce(self.list([front, back], in: harness))
            #expect(await self.firstWord(harness) == nil)
            _ = try await engine.announce(self.list([back], in: harness))
            await harness.reached(.delivered)
        }
        #expect(harness.backend.accepted.map { $0.values["DOCTYPE"] } == ["back"])
    }

    @Test("A refusal from the list holds the back, too; a front that is found no more lets it go")
    func listed() async throws {
        let harness = try self.harness(.memory)
        let back = try harness.photo("b.jpg", "back;x")
        var unread = try harness.photo("f.jpg", Self.front)
        let number = try unread.takenMetadata.businessNumber
        let absent = unread
        unread.disposition = .refuse(.sourceUnreadable, message: "unread", of: number)
        try await harness.serve { engine in
            let announcement = try await engine.announce(self.list([unread, absent, back], in: harness))
            try await announcement.arrived(unread, try await engine.take(unread))
            try await self.take(back, engine, announcement)
            #expect(await self.firstWord(harness) == nil)
            _ = try await engine.announce(self.list([back], in: harness))
            await harness.reached(.delivered)
        }
    }
}

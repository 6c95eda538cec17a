import CardEngine
import CardInput
import CardModel
import CardStore

/// Watches folders for an engine, and has notes written beside the photos in `done/` whose cards are refused later, by
/// whatever process.
struct NotingWatch: Sendable {
    private let store: CardStore
    let watch: FolderWatch

    init(
        _ options: WatchOptions,
        of pipeline: Pipeline,
        _ engine: Engine,
        report: @escaping @Sendable (WatchEvent) -> Void
    ) {
        self.store = pipeline.store
        let intake = WatchIntake(engine: engine, store: self.store, configuration: pipeline.configuration)
        self.watch = FolderWatch(options: options, sandbox: self.store.id, time: .system, take: intake.take) { event in
            report(event)
            intake.observe(event)
        }
    }

    func run() async throws {
        async let _: Void = self.writeNotes()
        try await self.watch.run()
    }

    private func writeNotes() async {
        // Each change is looked at twice: a photo may reach its place shortly after its card was refused.
        var marks: [Int64] = []
        repeat {
            // What hinders the sandbox passes, or ends the watch elsewhere; the same is asked for again.
            if let mark = try? await self.note(after: marks.first) { marks = marks.suffix(1) + [mark] }
        } while (try? await Task.sleep(for: .seconds(2))) != nil
    }

    /// - Parameter event: the event after which changes count; `nil` for all cards that are refused by now.
    /// - Returns: the last event that was looked at.
    private func note(after event: Int64?) async throws -> Int64 {
        var filter = CardFilter()
        (filter.attention, filter.submitter) = ([.retake], Caller.process.subject)
        guard var last = event else {
            let last = try await self.store.lastEvent()
            try await self.store.forEachCard(filter, self.note)
            return last
        }
        while true {
            let changes = try await self.store.changes(filter, since: last, limit: Limits.pageSize, for: .process)
            for card in changes.cards { try await self.note(card) }
            last = changes.last
            guard changes.hasMore else { return last }
        }
    }

    private func note(_ card: Card) async throws {
        try Task.checkCancellation()
        await self.watch.note(.refused(card), card: card.id, beside: try await self.store.files(of: card.id))
    }
}

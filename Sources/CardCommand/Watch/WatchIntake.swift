import CardEngine
import CardInput
import CardModel
import CardStore
import Synchronization

/// Passes the photos of watched folders to the engine.
struct WatchIntake: Sendable {
    let engine: Engine
    let store: Sandbox
    let configuration: Configuration

    func observe(_ event: WatchEvent) {
        guard case .leftInPlaceCount(let count, let folder) = event else { return }
        self.engine.setStaying(count, in: folder.reveal())
    }

    /// Admits a photo; returns once its result is durable.
    ///
    /// - Throws: errors of the sandbox that every later photo would meet, too.
    func admit(_ photo: Photo, _ occasion: WatchOccasion) async throws -> WatchOutcome {
        if let error = self.configuration.requireAccount(photo) { return .refused(error, card: nil) }
        do {
            if occasion == .lateSidecar { return try await self.amend(photo) }
            let outcome = try await self.engine.intake().admit(photo, mayGrow: occasion == .young)
            guard outcome.state == .rejected || outcome.reason == .takenEarlier,
                let card = try await self.store.card(outcome.card),
                card.notice == .attention(.retake) || card.reason == .takenEarlier
            else { return .admitted }
            return .refused(.refused(card), card: card.id)
        } catch let error as CodedError {
            return try Self.outcome(of: error)
        }
    }

    /// The outcome for a photo with an error.
    ///
    /// - Throws: the error, if every later photo would meet it, too.
    static func outcome(of error: CodedError) throws(CodedError) -> WatchOutcome {
        if error.isRetried { return .later(error) }
        if error.code == .tooManyPhotos { return .waits(error) }
        switch error.kind {
        // The watch tries a photo that needs too much time or memory again, a limited number of times.
        case .input, .conflict, .temporary: return .refused(error, card: nil)
        default: throw error
        }
    }

    /// Amends the card of a photo by a sidecar that came late.
    private func amend(_ photo: Photo) async throws -> WatchOutcome {
        var known = try await self.engine.intake().amend(photo)
        // By its path, `amend` does not find a photo that was archived since; `admit` finds it by its bytes.
        if known == nil { known = try await self.engine.intake().admit(photo) }
        guard let known, let card = try await self.store.card(known.card),
            card.metadata.takingOver(photo.metadata) != card.metadata
        else { return .admitted }
        return .refused(CodedError(.sidecarLate, .input, .watchSidecarLate(known.card)), card: known.card)
    }
}

/// Watches folders for an engine, and writes notes for the photos in `done/` whose cards any process later refuses or
/// supersedes.
struct NotingWatch: Sendable {
    private let store: Sandbox
    let watch: FolderWatch

    init(
        _ options: WatchOptions,
        of pipeline: Pipeline,
        _ engine: Engine,
        report: @escaping @Sendable (WatchEvent) -> Void
    ) {
        self.store = pipeline.store
        let intake = WatchIntake(engine: engine, store: self.store, configuration: pipeline.configuration)
        self.watch = FolderWatch(options: options, sandbox: self.store.id, time: .system, admit: intake.admit) {
            report($0)
            intake.observe($0)
        }
    }

    func run() async throws {
        async let _: Void = self.followRefusals()
        try await self.watch.run()
    }

    private func followRefusals() async {
        // Each change is read twice: a photo may reach `done/` shortly after its card was refused.
        var marks: [Int64] = []
        repeat {
            // An error of the sandbox is temporary, or stops the watch elsewhere; the next pass asks again.
            if let mark = try? await self.writeNotes(after: marks.first) { marks = marks.suffix(1) + [mark] }
        } while (try? await Task.sleep(for: .seconds(2))) != nil
    }

    /// - Parameter event: the event after which changes count; `nil` for all cards that are refused at present.
    /// - Returns: the last event that was read.
    private func writeNotes(after event: Int64?) async throws -> Int64 {
        let next = try await self.store.listings.lastEvent()
        for filter in Self.filters {
            guard var last = event else {
                try await self.store.forEachCard(filter, self.writeNote)
                continue
            }
            while last < next {
                let changes = try await self.store.listings.changes(
                    filter,
                    since: last,
                    limit: Limits.pageSize,
                    for: .process
                )
                for card in changes.cards { try await self.writeNote(for: card) }
                last = changes.hasMore ? changes.last : next
            }
        }
        return next
    }

    /// The cards whose photos get notes: those to be taken again, and those superseded as taken earlier.
    private static let filters: [CardFilter] = {
        var (refused, superseded) = (CardFilter(), CardFilter())
        (refused.attention, refused.submitter) = ([.retake], Caller.process.subject)
        (superseded.states, superseded.submitter) = ([.superseded], Caller.process.subject)
        superseded.reason = ReasonCode.takenEarlier.rawValue
        return [refused, superseded]
    }()

    private func writeNote(for card: Card) async throws {
        try Task.checkCancellation()
        let (error, files) = (CodedError.refused(card), try await self.store.intake.files(of: card.id))
        await self.watch.writeNote(error, card: card.id, beside: files, moving: card.reason == .takenEarlier)
    }
}

extension CodedError {
    /// Why the photo of a card must be taken again.
    static func refused(_ card: Card) -> CodedError {
        CodedError(card.reason ?? .sourceUnreadable, .input, card.message ?? .watchRetake)
    }

    /// Whether an input with this error is tried again: the sandbox is busy, the queue full or the disk nearly full.
    var isRetried: Bool {
        switch self.kind {
        case .temporary: self.code == .sandboxBusy
        case .storage: self.code == .queueFull || self.code == .diskSpaceLow
        default: false
        }
    }
}

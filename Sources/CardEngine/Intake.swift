import CardModel
import CardStore
import Foundation

/// Takes listed photos in: looks them up, reads, prepares, and admits all of one number by one commit.
struct Intake: Sendable {
    let context: EngineContext
    /// Who sends the photos: `local` for lists and watched folders.
    let submitter: String

    /// Takes in all photos of a list, grouped by number.
    func take(_ groups: [[InputItem]]) async throws {
        var rest = groups[...]
        while !rest.isEmpty, !self.context.board.isEnding {
            let portion = Self.portion(of: &rest)
            let unknown = try await self.lookUp(portion)
            guard try await self.waitForRoom() else { return }
            try await self.admit(unknown)
        }
    }

    /// Waits while more cards are under way than the sandbox is to hold at a time.
    ///
    /// - Returns: `false` if nothing moves on any more: the rest of the list is left to a later run.
    private func waitForRoom() async throws -> Bool {
        let board = self.context.board
        while try await self.context.isFull(), !board.isEnding {
            let patience = self.context.settings.patience
            guard board.stopped.isEmpty, !board.standsStill(for: patience, time: self.context.time) else {
                return false
            }
            try await self.context.time.sleep(Limits.look)
        }
        return true
    }

    /// Takes groups off until they hold enough photos for one look-up.
    private static func portion(of groups: inout ArraySlice<[InputItem]>) -> [[InputItem]] {
        var portion: [[InputItem]] = []
        var count = 0
        while count < Limits.lookupSize, let group = groups.popFirst() {
            portion.append(group)
            count += group.count
        }
        return portion
    }

    /// Returns the photos that are not known as cards yet; a file that is the same as before is not read again.
    private func lookUp(_ groups: [[InputItem]]) async throws -> [[InputItem]] {
        let files = groups.joined().compactMap { item -> ListedFile? in
            guard case .file(let file) = item.place else { return nil }
            return ListedFile(file: file, name: item.name, metadata: item.metadata, submitter: self.submitter)
        }
        var known = try await self.context.store.known(files, now: self.context.time.now())[...]
        return groups.map { group in
            group.filter { item in
                guard case .file = item.place, let outcome = known.popFirst() else { return true }
                guard let outcome else { return true }
                if outcome.state.isRunnable {
                    // What the list says may have brought it back.
                    self.context.board.ring(.verify)
                    self.context.board.ring(.deliver)
                }
                self.context.events(.taken(item, outcome))
                return false
            }
        }
        .filter { !$0.isEmpty }
    }

    private func admit(_ groups: [[InputItem]]) async throws {
        try await withThrowingTaskGroup { tasks in
            var rest = groups[...]
            for _ in 0..<(self.context.settings.preparing + Limits.photosAhead) {
                guard let group = rest.popFirst() else { break }
                tasks.addTask { try await self.admit(group) }
            }
            while try await tasks.next() != nil {
                guard !self.context.board.isEnding, let group = rest.popFirst() else { continue }
                tasks.addTask { try await self.admit(group) }
            }
        }
    }

    /// Takes the photos of one number in by one commit.
    private func admit(_ group: [InputItem]) async throws {
        var photos: [(item: InputItem, admission: Admission)] = []
        guard self.context.store.freeBytes >= self.context.settings.intakeFreeSpace else {
            for item in group { self.context.events(.refused(item, Self.noSpace)) }
            return
        }
        for item in group {
            guard let admission = try await self.prepare(item) else { continue }
            photos.append((item, admission))
        }
        guard !photos.isEmpty else { return }
        let outcomes = try await self.context.store.admit(photos.map(\.admission), now: self.context.time.now())
        for (photo, outcome) in zip(photos, outcomes) { self.context.events(.taken(photo.item, outcome)) }
        self.context.board.ring(.verify)
    }

    private static let noSpace = CodedError(
        .diskSpaceLow,
        .storage,
        "the disk of the sandbox is nearly full, so nothing more is taken in (sandbox.intake_free_space); free some space"
    )

    /// Reads and prepares a photo; `nil` if it was refused without becoming a card, which an event says.
    private func prepare(_ item: InputItem) async throws -> Admission? {
        guard case .file(let file) = item.place else { return nil }
        do {
            let source = try await self.context.ports.read(file)
            let content: Admission.Content
            do {
                content = .prepared(try await self.context.ports.prepare(source))
            } catch let error as CodedError where error.kind == .input {
                content = .refused(error)
            }
            var random = SystemRandomNumberGenerator()
            let now = self.context.time.now()
            return Admission(
                id: CardID.generate(at: now, using: &random),
                name: item.name,
                metadata: item.metadata,
                submitter: self.submitter,
                source: ContentDigest(of: source),
                file: file,
                content: content,
                waitsUntil: now
            )
        } catch let error as CodedError {
            self.context.events(.refused(item, error))
            return nil
        }
    }
}

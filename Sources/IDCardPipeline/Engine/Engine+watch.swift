package import IDCardCore
import Logging

extension Engine: WatchIntake {
    package func noteMetadataFile(inFolder path: Redacted<String>) async throws {
        try await self.context.store.noteMetadataFile(inFolder: path, now: self.context.time.now())
    }

    package func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool {
        try await self.context.store.hasHeldMetadataFile(inFolder: path)
    }

    package func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata
    ) async throws -> Amendment {
        let amendment = try await self.context.store.amend(
            photo,
            under: number,
            with: metadata,
            now: self.context.time.now()
        )
        if case .applied(let card) = amendment {
            self.context.monitor.changed(card)
            // What was decided for either number was decided with the card under the first.
            self.context.applications.touch(number)
            self.context.applications.touch(metadata.businessNumber)
            self.context.board.announce(.verify, .settle)
        }
        return amendment
    }
}

import Foundation
import IDCardCore
import IDCardPipeline
import Logging
import Synchronization

// Sidecars that come after their images: whether they are waited for, and what becomes of those that come too late.
extension FolderWatch {
    // MARK: Waiting for them

    /// Whether a file is a sidecar by its name.
    func isSidecar(_ file: WatchedPath) -> Bool {
        guard let image = PathText.name(file.path, without: Sidecar.suffix) else { return false }
        return self.settings.inputs.isImageName(PathText.name(of: image))
    }

    /// Whether an image of a root is taken without its sidecar.
    func sidecarRule(of root: WatchedRoot) async throws -> WatchSettings.SidecarRule {
        let path = Redacted(root.path)
        switch self.state.withLock({ $0.roots[root.index].metadataFiles }) {
        case .noted, .none: break
        case .met:
            try await self.intake.noteMetadataFile(inFolder: path)
            self.note(.noted, of: root) { $0 == .met }
        case .unknown where self.settings.sidecar == nil:
            let isNoted = try await self.intake.hasHeldMetadataFile(inFolder: path)
            self.note(isNoted ? .noted : .none, of: root) { $0 == .unknown }
        case .unknown: break
        }
        if let rule = self.settings.sidecar { return rule }
        return self.state.withLock { state in
            switch state.roots[root.index].metadataFiles {
            case .met, .noted: .expected
            case .none, .unknown: .optional
            }
        }
    }

    /// Notes what is known of a root, unless it is another one by now, or more is known.
    private func note(
        _ metadataFiles: WatchState.MetadataFiles,
        of root: WatchedRoot,
        if holds: (WatchState.MetadataFiles) -> Bool
    ) {
        self.state.withLock { state in
            guard state.roots[root.index].root?.path == root.path, holds(state.roots[root.index].metadataFiles) else {
                return
            }
            state.roots[root.index].metadataFiles = metadataFiles
        }
    }

    // MARK: Those that are late

    /// Applies a sidecar to the card of an image that was taken in without it, and puts it away.
    func apply(
        _ sidecar: LateSidecar,
        in file: TakenFile,
        _ ready: WatchLedger.Ready
    ) async throws -> WatchLedger.End {
        let amendment = try await self.intake.amend(
            sidecar.image,
            under: sidecar.number,
            with: sidecar.metadata
        )
        switch amendment {
        case .unknown, .uncertain:
            if let ending = sidecar.ending { return try await self.finish(file, as: ending, ready, isTold: false) }
            if case .uncertain(let card) = amendment { self.tell(file.source, card, .uncertain) }
            return .settled(ready.shape)
        case .busy: return .putOff(until: self.clock.now() + self.settings.retryBase, counts: false)
        case .applied(let card):
            self.tell(file.source, card.id, .applied)
            return try await self.finish(file, as: self.settings.after == .delete ? .deleted : .done, ready)
        case .tooLate(let card):
            self.tell(file.source, card.id, .tooLate)
            guard self.settings.after != .leave else { return self.leave(file) }
            let note = FailureNote(
                code: .sidecarLate,
                message: Self.tooLate,
                cardID: card.id,
                time: Timestamp(.now).description
            )
            return try await self.finish(file, as: .failed(note), ready)
        }
    }

    /// Applies the sidecar of an image that is to be taken in, in case it was before, under its folder's number.
    ///
    /// - Returns: when its turn comes again; `nil` if it is now.
    func amend(_ sidecar: LateSidecar, source: String) async throws -> WatchLedger.End? {
        let amendment = try await self.intake.amend(
            sidecar.image,
            under: sidecar.number,
            with: sidecar.metadata
        )
        switch amendment {
        case .unknown, .uncertain: return nil
        case .busy: return .putOff(until: self.clock.now() + self.settings.retryBase, counts: false)
        case .applied(let card): self.tell(source, card.id, .applied)
        case .tooLate(let card): self.tell(source, card.id, .tooLate)
        }
        return nil
    }

    private func tell(_ source: String, _ card: CardID, _ outcome: WatchEvent.SidecarOutcome) {
        self.logger.warning(
            "sidecar came after its image was taken in",
            metadata: ["card.id": "\(card)", "code": "\(outcome.rawValue)"]
        )
        self.observer(.sidecarLate(source: Redacted(source), card: card, outcome))
    }

    private static let tooLate = """
        the sidecar came after its image was taken in, and the card is in a delivery or has ended; \
        compare both by `cards show`, and send the image again with its sidecar if the card is wrong
        """
}

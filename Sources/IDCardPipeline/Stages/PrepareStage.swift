import Foundation
import IDCardCore
import Logging

/// Prepares cards whose source bytes are in the store.
struct PrepareStage: Sendable {
    let context: StageContext
    let preparation: NotedPreparation
    let pool: any BlockingWork

    /// Prepares one leased `received` card.
    func work(_ card: Card) async throws {
        do {
            try await self.conclude(card, as: try await self.prepare(card))
        } catch is CancellationError {
            // Interrupted is not failed: the card keeps its state and attempts, its lease is handed back at shutdown.
        }
    }

    private func prepare(_ card: Card) async throws -> PreparationConclusion {
        do {
            let (source, digest) = try await self.digested(try await self.source(of: card.id))
            try self.context.board.checkMayBegin()
            switch try await self.preparation.prepare(source, digest) {
            case .prepared(let image): return .prepared(image)
            case .refused(let reason, let message): return .rejected(reason, message: message)
            case .unavailable(let reason, let message): return self.retryOrFail(card, reason, message: message)
            }
        } catch let error as StoreError where error.concernsOneCard {
            self.context.logger.error(
                "source unreadable",
                metadata: ["card.id": "\(card.id)", "store.code": "\(error.code)"]
            )
            return .failed(.imageUnreadable, message: StoreError.imageAdvice)
        }
    }

    private func digested(_ source: Data) async throws -> (SourceBytes, ContentDigest) {
        try await self.pool.run { (SourceBytes(source), ContentDigest(of: source)) }
    }

    private func source(of card: CardID) async throws -> Data {
        var source = Data()
        while true {
            let piece = try await self.context.store.source(of: card, at: source.count)
            guard !piece.isEmpty else { return source }
            source.append(piece)
        }
    }

    private func retryOrFail(_ card: Card, _ reason: ReasonCode, message: String) -> PreparationConclusion {
        let failures = card.attempts + 1
        guard failures < self.context.settings.prepareMaximumAttempts else {
            return .failed(reason, message: "\(message); it was tried \(failures) times")
        }
        let policy = self.context.settings.retry
        let delay = self.context.random.draw { policy.delay(afterAttempt: failures, using: &$0) }
        return .retry(at: self.context.time.now().advanced(by: delay))
    }

    private func conclude(_ card: Card, as conclusion: PreparationConclusion) async throws {
        let changed: Card
        do {
            changed = try await self.context.store.concludePreparing(
                card,
                as: conclusion,
                now: self.context.time.now()
            )
        } catch let error as StoreError {
            let number = card.metadata.businessNumber
            guard try await self.context.wereTaken([card.id], under: [number], after: error) else { throw error }
            return
        }
        self.context.logger.debug(
            "card left preparation",
            metadata: ["card.id": "\(card.id)", "card.state": "\(changed.state.rawValue)"]
        )
        guard changed.state != .received else { return self.context.board.announce(.prepare) }
        self.context.monitor.changed(changed)
        self.context.applications.touch(card.metadata.businessNumber)
        self.context.board.announce(.verify, .settle)
    }
}

import Foundation
import IDCardCore
import Logging

/// Prepares images under a note that outlives the process: what has brought the decoder down too often is decoded in a
/// child.
struct NotedPreparation: Sendable {
    let context: StageContext
    let preparation: ImagePreparation
    let pool: any BlockingWork

    /// Prepares an image; its source is let go of as soon as it is decoded.
    func prepare(_ source: SourceBytes, _ digest: ContentDigest) async throws -> ImagePreparation.Outcome {
        let preparing = try await self.context.store.beginPreparing(digest)
        let isSuspect = preparing.crashes >= self.context.settings.maximumCrashes
        if isSuspect {
            self.context.logger.warning(
                "image decoded in a child process",
                metadata: ["image.crashes": "\(preparing.crashes)"]
            )
        }
        let prepare = isSuspect ? self.preparation.prepareIsolated : self.preparation.prepare
        let outcome: ImagePreparation.Outcome
        do {
            outcome = try await self.context.metrics.measure(.prepare) {
                try await self.pool.run { prepare(source.take()) }
            } endedAs: { outcome in
                switch outcome {
                case .prepared: .accepted
                case .refused: .rejected
                case .unavailable: .transient
                }
            }
        } catch {
            // The pool did not take it: the first error is the one to report.
            try? await self.context.store.endPreparing(preparing, survived: false)
            throw error
        }
        try await self.context.store.endPreparing(preparing, survived: !isSuspect && outcome.isOfTheImage)
        return outcome
    }
}

extension ImagePreparation.Outcome {
    /// Whether the image was decoded or refused on its merits, in this process.
    fileprivate var isOfTheImage: Bool {
        switch self {
        case .prepared: true
        case .refused(let reason, _): reason != .decoderCrashed
        case .unavailable: false
        }
    }
}

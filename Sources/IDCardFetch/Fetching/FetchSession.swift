import Crypto
import Foundation
import IDCardCore
import IDCardPipeline
import NIOCore

/// The work on one image, this time: asks for what is missing, in one request or several at a time, until all is kept.
struct FetchSession: Sendable {
    /// How often the work is begun anew because the server shows another version, or does not deal in ranges.
    private static let maximumRestarts = 2
    /// How many goes there are in all: each brings something, but something may be little.
    private static let maximumRounds = 64

    /// What does the work, the same for all images.
    let fetcher: URLImageFetcher
    /// Keeps pieces.
    let sink: PieceSink
    /// Reads them back.
    let read: ImageFetcher.Read
    /// When this attempt is over.
    let end: NIODeadline

    /// Fetches what is missing of a job.
    ///
    /// - Throws: what keeping and reading throw, or `CancellationError`.
    func run(_ job: FetchJob) async throws -> ImageFetcher.Outcome {
        do throws(FetchStop) {
            let (target, label) = try self.fetcher.checkStart(job.address)
            return try await self.run(FetchProgress(job), target: target, label: label)
        } catch {
            switch error {
            case .store(let cause): throw cause
            case .cancelled: throw CancellationError()
            case .refused(let refusal) where refusal.isOfBytes:
                return .unusable(refusal.code, message: refusal.message)
            case .refused(let refusal): return .refused(refusal.code, message: refusal.message)
            case .failed(let failure): return .failed(failure)
            // These two have become a failure by now.
            case .changed, .unusableRanges: return .failed(FetchFaults(label: "the server", usesTLS: true).rangeless())
            }
        }
    }

    private func run(
        _ start: FetchProgress,
        target: FetchTarget,
        label: String
    ) async throws(FetchStop) -> ImageFetcher.Outcome {
        let faults = FetchFaults(label: label, usesTLS: target.usesTLS)
        var progress = start
        var mode = FetchRound.Mode.remainder
        var restarts = 0
        var rounds = 0
        while !progress.isWhole {
            let before = progress
            do throws(FetchStop) {
                let round = FetchRound(session: self, target: target, label: label, mode: mode)
                try await round.run(&progress)
                mode = .remainder
                rounds += 1
                // A round that ends well has brought something, or the next one would bring nothing either.
                guard progress.isWhole || progress.count > before.count && rounds < Self.maximumRounds else {
                    throw FetchStop.failed(faults.rangeless())
                }
            } catch {
                switch error {
                case .changed where restarts < Self.maximumRestarts: mode = .beginning
                case .unusableRanges where restarts < Self.maximumRestarts: mode = .everything
                case .changed: throw .failed(faults.changing())
                case .unusableRanges: throw .failed(faults.rangeless())
                default: throw error
                }
                restarts += 1
            }
        }
        return try await self.digest(of: progress.total ?? 0, faults: faults)
    }

    /// Reads the pieces back: the digest is that of what is kept, not of what was meant to be.
    private func digest(of total: Int, faults: FetchFaults) async throws(FetchStop) -> ImageFetcher.Outcome {
        var hash = SHA256()
        var offset = 0
        while offset < total {
            let piece: Data
            do {
                try Task.checkCancellation()
                piece = try await self.read(offset)
            } catch is CancellationError {
                throw .cancelled
            } catch {
                throw .store(error)
            }
            guard !piece.isEmpty, offset + piece.count <= total else { throw .failed(faults.incoherent()) }
            hash.update(data: piece)
            offset += piece.count
        }
        return .complete(ContentDigest(hash.finalize()))
    }
}

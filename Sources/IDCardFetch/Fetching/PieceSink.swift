import Foundation
import IDCardPipeline

/// Where pieces go.
struct PieceSink: Sendable {
    /// The engine's function.
    let keepPiece: ImageFetcher.Keep
    /// Says of the first bytes whether they are an image's.
    let isImage: @Sendable (Data) -> Bool

    /// Keeps a piece; durable when it returns.
    ///
    /// - Throws: ``FetchStop/store(_:)``.
    func keep(_ bytes: Data, at offset: Int, of version: FetchedVersion) async throws(FetchStop) {
        do {
            try await self.keepPiece(bytes, offset, version)
        } catch {
            throw .store(error)
        }
    }
}

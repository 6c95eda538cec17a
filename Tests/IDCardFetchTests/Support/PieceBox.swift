import Foundation
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardFetch

/// Keeps pieces as the sandbox does, and survives what the fetcher does not.
actor PieceBox {
    /// A failure of the store.
    struct Full: Error, Equatable {}

    private(set) var version: FetchedVersion?
    private var pieces: [Int: Data] = [:]
    /// How many pieces were kept, one kept twice counted twice.
    private(set) var keeps = 0
    /// How many bytes were kept, those kept twice counted twice.
    private(set) var bytesKept = 0
    private var room = Int.max

    /// Refuses pieces after so many.
    func fill(after keeps: Int) {
        self.room = keeps
    }

    func keep(_ bytes: Data, at offset: Int, of version: FetchedVersion) throws {
        #expect(bytes.count <= 1_048_576)
        #expect(!bytes.isEmpty)
        guard self.keeps < self.room else { throw Full() }
        self.keeps += 1
        self.bytesKept += bytes.count
        if self.version != version { self.pieces = [:] }
        self.version = version
        let range = offset..<offset + bytes.count
        let overlaps = self.pieces.contains { $0.key != offset && ($0.key..<$0.key + $0.value.count).overlaps(range) }
        #expect(!overlaps, "a piece at \(range) overlaps another")
        self.pieces[offset] = bytes
    }

    func read(_ offset: Int) -> Data { self.pieces[offset] ?? Data() }

    /// All bytes that are there, joined in order.
    var joined: [UInt8] {
        Array(self.pieces.sorted { $0.key < $1.key }.reduce(into: Data()) { $0.append($1.value) })
    }
    /// How many bytes are there.
    var count: Int { self.pieces.values.reduce(0) { $0 + $1.count } }

    /// The work on an image, with what is there of it: as after a restart.
    func job(_ url: String) throws -> FetchJob {
        let number = try #require(BusinessNumber("B-1"))
        let card = Card(
            id: CardID(rawValue: "card-1"),
            state: .received,
            metadata: CardMetadata(businessNumber: number),
            intakeOrder: 1,
            createdAt: Timestamp(millisecondsSinceEpoch: 0),
            changedAt: Timestamp(millisecondsSinceEpoch: 0)
        )
        return FetchJob(
            card: card,
            address: ImageAddress(url),
            version: self.version,
            pieces: self.pieces.sorted { $0.key < $1.key }.map { $0.key..<$0.key + $0.value.count }
        )
    }

    /// Works once on an image.
    nonisolated func fetch(_ url: String, with fetcher: URLImageFetcher) async throws -> ImageFetcher.Outcome {
        try await fetcher.imageFetcher.fetch(
            self.job(url),
            { try await self.keep($0, at: $1, of: $2) },
            { await self.read($0) }
        )
    }
}

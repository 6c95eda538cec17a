import Foundation
import IDCardMultipartForm
import IDCardPipeline

/// Gathers the bytes of one image into a spool, and refuses early what is none.
struct ImageSpool {
    private static let pieceByteCount = 256 << 10

    private let spool: any SourceSpool
    private let limit: Int
    private let claim: ByteClaim
    private var pending = Data()
    private var byteCount = 0
    private var isChecked = false

    /// Makes an empty spool.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of the image.
    ///   - claim: what its bytes are counted against together with those of all others.
    init(_ spooling: any SourceSpooling, limit: Int, claim: ByteClaim) throws {
        self.spool = try spooling.makeSpool()
        self.limit = limit
        self.claim = claim
    }

    /// Adds bytes.
    ///
    /// - Throws: ``Problem``: `image_too_large_bytes`, `unsupported_format`, `busy`; `StoreError`.
    mutating func append(_ bytes: some Sequence<UInt8>) async throws {
        let before = self.pending.count
        self.pending.append(contentsOf: bytes)
        let added = self.pending.count - before
        self.byteCount += added
        guard self.byteCount <= self.limit else {
            throw Problem(.imageTooLarge, "At most \(self.limit) bytes are taken.", endsConnection: true)
        }
        try self.checkFormat(isWhole: false)
        guard self.claim.take(added) else { throw Problem(.busy, retryAfter: .seconds(2), endsConnection: true) }
        if self.pending.count >= Self.pieceByteCount { try await self.flush() }
    }

    /// Ends the writing.
    ///
    /// - Throws: ``Problem``: `image_empty`, `unsupported_format`; `StoreError`.
    mutating func finish() async throws -> any SpooledSource {
        guard self.byteCount > 0 else { throw Problem(.imageEmpty) }
        try self.checkFormat(isWhole: true)
        try await self.flush()
        return try await self.spool.finish()
    }

    private mutating func flush() async throws {
        guard !self.pending.isEmpty else { return }
        let piece = self.pending
        self.pending = Data()
        try await self.spool.append(piece)
    }

    /// The first bytes decide, whatever the sender calls them.
    private mutating func checkFormat(isWhole: Bool) throws {
        guard !self.isChecked, isWhole || self.byteCount >= 64 else { return }
        self.isChecked = true
        switch MediaType.guess(content: self.pending).description {
        case "image/jpeg", "image/png": return
        case let type where type.hasPrefix("image/hei"): throw Problem(.formatHEIC)
        default: throw Problem(.formatUnsupported)
        }
    }
}

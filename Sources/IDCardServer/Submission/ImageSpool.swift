import Foundation
import IDCardPipeline
import MultipartForm

/// Gathers the bytes of one image into a spool, and refuses early what is none.
struct ImageSpool {
    private static let pieceByteCount = 256 << 10

    private let spool: any SourceSpool
    private let limit: Int
    private var pending = Data()
    private var byteCount = 0
    private var isChecked = false

    /// Makes an empty spool.
    init(_ spooling: any SourceSpooling, limit: Int) throws {
        self.spool = try spooling.makeSpool()
        self.limit = limit
    }

    /// Adds bytes.
    ///
    /// - Throws: ``Problem``: `image_too_large_bytes`, `unsupported_format`; `StoreError`.
    mutating func append(_ bytes: some Sequence<UInt8>) async throws {
        let before = self.pending.count
        self.pending.append(contentsOf: bytes)
        self.byteCount += self.pending.count - before
        guard self.byteCount <= self.limit else {
            throw Problem(.imageTooLarge, "At most \(self.limit) bytes are taken.", endsConnection: true)
        }
        try self.checkFormat(isWhole: false)
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

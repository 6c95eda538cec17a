import Crypto
import Foundation
import IDCardPipeline

/// Seals the chunks of one spool under a random key that never leaves memory: with the spool it is gone, and what was on
/// the disk cannot be read by anybody.
struct SpoolCipher: Sendable {
    /// How many bytes of the image one chunk holds; the last one fewer.
    static let chunkByteCount = 256 << 10
    /// AES-256-GCM (NIST SP 800-38D): 12 bytes of nonce before, 16 of tag behind.
    private static let overhead = 28
    /// How far chunks lie apart in the file.
    static let stride = Self.chunkByteCount + Self.overhead

    private let key = SymmetricKey(size: .bits256)

    /// Seals a chunk for its place.
    func seal(_ chunk: Data, index: Int) throws -> Data {
        let box = try AES.GCM.seal(chunk, using: self.key, authenticating: Self.place(index))
        guard let combined = box.combined else {
            throw StoreError(.unavailable, "what was received could not be encrypted; please report this")
        }
        return combined
    }

    /// Opens a chunk.
    ///
    /// - Throws: `StoreError.unavailable` if it is not what was sealed for this place.
    func open(_ sealed: Data, index: Int) throws -> Data {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let chunk = try? AES.GCM.open(box, using: self.key, authenticating: Self.place(index))
        else {
            throw StoreError(
                .unavailable,
                "what was received changed on the disk before it was stored; check the disk, send it again"
            )
        }
        return chunk
    }

    /// How many bytes a sealed chunk takes.
    static func sealedByteCount(of chunk: Int) -> Int { chunk + Self.overhead }

    private static func place(_ index: Int) -> Data {
        withUnsafeBytes(of: UInt64(index).bigEndian) { Data($0) }
    }
}

import Foundation
import IDCardCore
import IDCardPipeline

/// An image that has arrived whole and lies sealed in a file without a name.
struct SourceOnDisk: SpooledSource {
    let file: SpoolFile
    let cipher: SpoolCipher
    let byteCount: Int
    let digest: ContentDigest
    let head: Data

    func read(at offset: Int) throws -> Data {
        let size = SpoolCipher.chunkByteCount
        let end = min(self.byteCount, offset + SandboxSchema.largestPiece)
        var bytes = Data(capacity: max(0, end - offset))
        var position = offset
        while position < end {
            let index = position / size
            let chunk = try self.chunk(index)
            let part = chunk.dropFirst(position - index * size).prefix(end - position)
            bytes.append(part)
            position += part.count
        }
        return bytes
    }

    private func chunk(_ index: Int) throws -> Data {
        let size = SpoolCipher.chunkByteCount
        let count = min(size, self.byteCount - index * size)
        let sealed = try self.file.read(
            SpoolCipher.sealedByteCount(of: count),
            at: index * SpoolCipher.stride
        )
        return try self.cipher.open(sealed, index: index)
    }
}

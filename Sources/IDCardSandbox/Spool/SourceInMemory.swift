import Foundation
import IDCardCore
import IDCardPipeline

/// A small image that has arrived whole and touched no disk.
struct SourceInMemory: SpooledSource {
    let bytes: Data
    let digest: ContentDigest
    let head: Data

    var byteCount: Int { self.bytes.count }

    func read(at offset: Int) throws -> Data {
        Data(self.bytes.dropFirst(offset).prefix(SandboxSchema.largestPiece))
    }
}

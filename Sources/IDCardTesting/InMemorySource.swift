import Foundation
import IDCardCore
import IDCardPipeline

/// Bytes of an image, in memory.
struct InMemorySource: SpooledSource {
    let bytes: Data

    var byteCount: Int { self.bytes.count }
    var digest: ContentDigest { ContentDigest(of: self.bytes) }
    var head: Data { Data(self.bytes.prefix(64)) }

    func read(at offset: Int) throws -> Data {
        Data(self.bytes.dropFirst(offset).prefix(1 << 20))
    }
}

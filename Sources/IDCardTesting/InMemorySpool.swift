import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// The double of a spool, without a disk.
final class InMemorySpool: SourceSpool {
    private let bytes = Mutex(Data())

    func append(_ bytes: Data) async throws {
        self.bytes.withLock { $0.append(bytes) }
    }

    func finish() async throws -> any SpooledSource {
        InMemorySource(bytes: self.bytes.withLock { $0 })
    }
}

import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// Gathers bytes in memory, and counts what was begun, finished and let go.
final class MemorySpooling: SourceSpooling {
    struct Counts: Equatable {
        var made = 0
        var finished = 0
        var alive = 0
        var largestPiece = 0
    }

    let counts = Mutex(Counts())

    var now: Counts { self.counts.withLock { $0 } }

    func makeSpool() throws -> any SourceSpool {
        self.counts.withLock { counts in
            counts.made += 1
            counts.alive += 1
        }
        return MemorySpool(self)
    }
}

/// One spool of them.
final class MemorySpool: SourceSpool {
    private let spooling: MemorySpooling
    private let bytes = Mutex(Data())

    init(_ spooling: MemorySpooling) {
        self.spooling = spooling
    }

    deinit {
        self.spooling.counts.withLock { $0.alive -= 1 }
    }

    func append(_ bytes: Data) async throws {
        self.bytes.withLock { $0.append(bytes) }
        self.spooling.counts.withLock { $0.largestPiece = max($0.largestPiece, bytes.count) }
    }

    func finish() async throws -> any SpooledSource {
        self.spooling.counts.withLock { $0.finished += 1 }
        return MemorySource(bytes: self.bytes.withLock { $0 })
    }
}

/// Bytes that have arrived whole.
struct MemorySource: SpooledSource {
    let bytes: Data

    var byteCount: Int { self.bytes.count }
    var digest: ContentDigest { ContentDigest(of: self.bytes) }
    var head: Data { self.bytes.prefix(64) }

    func read(at offset: Int) throws -> Data { Data(self.bytes.dropFirst(offset).prefix(1 << 20)) }
}

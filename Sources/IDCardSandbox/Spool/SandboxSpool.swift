import Crypto
import Dispatch
import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// A spool on the disk of the sandbox: a small image stays in memory, of a larger one each full chunk is sealed and
/// written to a file without a name.
final class SandboxSpool: SourceSpool {
    private struct State {
        var hash = SHA256()
        var head = Data()
        var byteCount = 0
        /// What has not filled a chunk yet.
        var rest = Data()
        var chunkCount = 0
        var file: SpoolFile?
        var isFinished = false
    }

    private let directory: String
    private let cipher = SpoolCipher()
    private let state = Mutex(State())

    /// Makes an empty spool.
    ///
    /// - Parameter directory: where the file is made once it is needed.
    init(directory: String) {
        self.directory = directory
    }

    func append(_ bytes: Data) async throws {
        let isFull = self.state.withLock { state in
            precondition(!state.isFinished, "nothing is added to a spool that is finished")
            state.hash.update(data: bytes)
            state.byteCount += bytes.count
            if state.head.count < Self.headByteCount {
                state.head.append(bytes.prefix(Self.headByteCount - state.head.count))
            }
            state.rest.append(bytes)
            // More than a chunk: exactly one stays in memory, should nothing follow it.
            return state.rest.count > SpoolCipher.chunkByteCount
        }
        if isFull { try await Self.offTheCooperativePool { try self.writeFullChunks() } }
    }

    func finish() async throws -> any SpooledSource {
        let isOnDisk = self.state.withLock { state in
            state.isFinished = true
            return state.file != nil
        }
        if isOnDisk { try await Self.offTheCooperativePool { try self.writeRest() } }
        return self.state.withLock { state in
            let digest = ContentDigest(state.hash.finalize())
            guard let file = state.file else {
                return SourceInMemory(bytes: state.rest, digest: digest, head: state.head)
            }
            return SourceOnDisk(
                file: file,
                cipher: self.cipher,
                byteCount: state.byteCount,
                digest: digest,
                head: state.head
            )
        }
    }

    private static let headByteCount = 64

    private func writeFullChunks() throws {
        while let chunk = self.takeChunk(whole: true) { try self.write(chunk) }
    }

    private func writeRest() throws {
        while let chunk = self.takeChunk(whole: false) { try self.write(chunk) }
    }

    private func takeChunk(whole: Bool) -> (index: Int, bytes: Data)? {
        self.state.withLock { state in
            let size = SpoolCipher.chunkByteCount
            guard whole ? state.rest.count > size : !state.rest.isEmpty else { return nil }
            defer {
                state.chunkCount += 1
                // Copied, so that what is written does not stay in memory.
                state.rest = Data(state.rest.dropFirst(size))
            }
            return (state.chunkCount, Data(state.rest.prefix(size)))
        }
    }

    private func write(_ chunk: (index: Int, bytes: Data)) throws {
        let file = try self.file()
        try file.write(
            try self.cipher.seal(chunk.bytes, index: chunk.index),
            at: chunk.index * SpoolCipher.stride
        )
    }

    private func file() throws -> SpoolFile {
        if let file = self.state.withLock({ $0.file }) { return file }
        let file = try SpoolFile(in: self.directory)
        self.state.withLock { $0.file = file }
        return file
    }

    /// Runs blocking work on a thread of its own.
    private static func offTheCooperativePool(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }
}

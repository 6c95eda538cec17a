import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What arrives lies on no disk in the clear, under no name, and nowhere once it is let go.
struct SpoolTests {
    let folder = SandboxFolder()

    /// The nameless files that this process holds open in the folder, by their descriptors.
    private func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map { "/proc/self/fd/\($0)" }
            .filter { path in
                guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                    return false
                }
                return target.hasPrefix(self.folder.path + "/") && target.hasSuffix("(deleted)")
            }
    }

    /// Waits until none is open any more: the thread that wrote last lets go of a spool a moment after its caller goes on.
    private func allAreClosed() async throws -> Bool {
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        while try !self.openFiles().isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: self.folder.path))
    }

    private static func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 &+ $0 >> 9) })
    }

    @Test(
        "what was appended comes back, however it was cut and wherever it is read",
        arguments: [1, 70_001, 1 << 20, 3 << 20]
    )
    func roundTrip(part: Int) async throws {
        let store = try self.folder.open()
        let chunk = SpoolCipher.chunkByteCount
        for count in [0, 1, 64, 65, chunk - 1, chunk, chunk + 1, 2 * chunk, (1 << 20) + 1, (2 << 20) + 77]
        where part > 1000 || count < 100 {
            let bytes = Self.bytes(count)
            let spool = try store.makeSpool()
            for start in stride(from: 0, to: count, by: part) {
                try await spool.append(Data(bytes[start...].prefix(part)))
            }
            let source = try await spool.finish()
            #expect(source.byteCount == count)
            #expect(source.digest == ContentDigest(of: bytes))
            #expect(source.head == bytes.prefix(64))
            for offset in [0, 1, chunk - 1, chunk, count / 2, max(0, count - 1)] where offset <= count {
                let found = try source.read(at: offset)
                #expect(found == bytes.dropFirst(offset).prefix(1 << 20), "\(count) bytes at \(offset)")
            }
            #expect(try source.read(at: count).isEmpty)
        }
    }

    @Test("a small image touches no disk; a large one lies there without a name, for its owner only, and goes with it")
    func nameless() async throws {
        let store = try self.folder.open()
        let before = try self.names()
        do {
            let small = try store.makeSpool()
            try await small.append(Self.bytes(SpoolCipher.chunkByteCount))
            let source = try await small.finish()
            #expect(try self.openFiles().isEmpty)
            #expect(source.byteCount == SpoolCipher.chunkByteCount)
        }
        do {
            let large = try store.makeSpool()
            try await large.append(Self.bytes(SpoolCipher.chunkByteCount + 1))
            let path = try #require(try self.openFiles().first)
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(status.st_nlink == 0)
            let source = try await large.finish()
            #expect(try self.names() == before)
            #expect(try self.openFiles().count == 1)
            #expect(try source.read(at: 0).count == source.byteCount)
        }
        #expect(try await self.allAreClosed())
    }

    @Test("what lies on the disk is nothing of the image, and twice the same image is nothing of each other")
    func sealed() async throws {
        let store = try self.folder.open()
        let bytes = Data(repeating: 7, count: 600_000) + Data("样本甲-canary".utf8)
        var kept: [any SpooledSource] = []
        for _ in 0..<2 {
            let spool = try store.makeSpool()
            try await spool.append(bytes)
            kept.append(try await spool.finish())
        }
        let files = try self.openFiles().map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(files.count == 2)
        #expect(files.allSatisfy { $0.count > bytes.count })
        for file in files {
            #expect(file.range(of: Data("canary".utf8)) == nil)
            #expect(file.range(of: Data(repeating: 7, count: 16)) == nil)
        }
        #expect(Set(files.map { $0.prefix(64) }).count == 2)
        #expect(try kept.allSatisfy { try $0.read(at: 600_000) == bytes.suffix(from: 600_000) })
    }

    @Test("a chunk that was changed, or put in another's place, is not taken for what was received")
    func changed() async throws {
        let store = try self.folder.open()
        let count = SpoolCipher.chunkByteCount * 2
        for swaps in [false, true] {
            let spool = try store.makeSpool()
            try await spool.append(Self.bytes(count + 1))
            let source = try #require(try await spool.finish() as? SourceOnDisk)
            let first = try source.file.read(SpoolCipher.stride, at: 0)
            var second = try source.file.read(SpoolCipher.stride, at: SpoolCipher.stride)
            if swaps {
                try source.file.write(first, at: SpoolCipher.stride)
            } else {
                second[100] ^= 1
                try source.file.write(second, at: SpoolCipher.stride)
            }
            #expect(try source.read(at: count).count == 1)
            let error = #expect(throws: StoreError.self) { _ = try source.read(at: SpoolCipher.chunkByteCount) }
            #expect(error?.code == .unavailable)
            let reception = Reception(
                metadata: try Admission.sample(1).metadata,
                source: .bytes(source)
            )
            await #expect(throws: StoreError.self) {
                _ = try await store.receive(reception, as: CardID(rawValue: "card-1"), now: .second(1))
            }
            #expect(try await store.stateCounts() == [:])
        }
    }

    @Test(
        "a system without room says so, whatever it calls that",
        arguments: [(ENOSPC, StoreError.Code.diskFull), (EDQUOT, .diskFull), (EFBIG, .diskFull), (EIO, .unavailable)]
    )
    func errors(error: CInt, code: StoreError.Code) {
        #expect(SpoolFile.failure("written", error: error).code == code)
    }

    @Test("a folder that is not there is an error of the disk, and names no file")
    func missingFolder() throws {
        let error = #expect(throws: StoreError.self) { _ = try SpoolFile(in: self.folder.path + "/nowhere") }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("nowhere") == false)
    }

    @Test("a sandbox that is only looked at takes nothing in")
    func readOnly() async throws {
        try await self.folder.open().close()
        let store = try self.folder.open(readOnly: true)
        let error = #expect(throws: StoreError.self) { _ = try store.makeSpool() }
        #expect(error?.code == .unavailable)
    }
}

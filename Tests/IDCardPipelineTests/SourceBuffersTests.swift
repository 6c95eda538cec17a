import Foundation
import Testing

@testable import IDCardPipeline

/// Where sources are read into.
struct SourceBuffersTests {
    private struct Refusal: Error {}

    private func filled(_ count: Int, with byte: UInt8, by buffers: SourceBuffers) throws -> Data {
        try buffers.data(count: count) { bytes throws(Refusal) in
            for index in bytes.indices { bytes[index] = byte }
        }
    }

    private func address(of data: Data) -> UnsafeRawPointer? { data.withUnsafeBytes { $0.baseAddress } }

    @Test("A buffer comes back when its source is let go of, and serves the next of about the same size")
    func reuse() throws {
        let buffers = SourceBuffers(mostKept: 2)
        var first: Data? = try self.filled(300_000, with: 1, by: buffers)
        let address = try #require(first.flatMap(self.address(of:)))
        #expect(buffers.count == 0)
        first = nil
        #expect(buffers.count == 1)
        let second = try self.filled(900_000, with: 2, by: buffers)
        #expect(self.address(of: second) == address)
        #expect(second == Data(repeating: 2, count: 900_000))
        #expect(buffers.count == 0)
    }

    @Test("Sources that are held at the same time never share memory")
    func apart() throws {
        let buffers = SourceBuffers(mostKept: 2)
        _ = try self.filled(10, with: 9, by: buffers)
        let held = try (1...4).map { try self.filled(1000, with: UInt8($0), by: buffers) }
        #expect(held == (1...4).map { Data(repeating: UInt8($0), count: 1000) })
        #expect(Set(held.map(self.address(of:))).count == 4)
    }

    @Test("No more are kept than were asked for, none that is huge, and a larger source gets a larger one")
    func bounds() throws {
        let buffers = SourceBuffers(mostKept: 2)
        var held = try (1...4).map { try self.filled(1000, with: UInt8($0), by: buffers) }
        held.removeAll()
        #expect(buffers.count == 2)
        let large = try self.filled(3 << 20, with: 5, by: buffers)
        #expect(large.count == 3 << 20 && buffers.count == 2)
        _ = try self.filled(SourceBuffers.largestKept + 1, with: 6, by: SourceBuffers(mostKept: 1))
        let others = SourceBuffers(mostKept: 1)
        var huge: Data? = try self.filled(SourceBuffers.largestKept + 1, with: 6, by: others)
        #expect(huge?.last == 6)
        huge = nil
        #expect(others.count == 0)
    }

    @Test("What cannot be filled leaves its buffer behind, and an empty source takes none")
    func refusal() throws {
        let buffers = SourceBuffers(mostKept: 1)
        #expect(throws: Refusal.self) { try buffers.data(count: 7) { _ throws(Refusal) in throw Refusal() } }
        #expect(buffers.count == 1)
        #expect(try self.filled(0, with: 1, by: buffers).isEmpty)
        #expect(buffers.count == 1)
    }
}

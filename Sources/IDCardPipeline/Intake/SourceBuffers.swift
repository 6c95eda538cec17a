import Foundation
import Synchronization

/// Memory that sources are read into, used again from one to the next.
///
/// A page of fresh memory costs more than filling it, and a photo of 12 megapixels takes hundreds. What lies in a buffer
/// that waits is overwritten by the next source.
package final class SourceBuffers: Sendable {
    /// Safe as whoever has it is the only one: it is taken out of the list for as long as it is used.
    private struct Buffer: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    /// Larger ones are not kept: one huge file must not hold its memory for good; 8 MiB.
    static let largestKept = 8 << 20
    /// Sizes are rounded up to this, so that a buffer fits sources of nearly the same size; 1 MiB.
    private static let step = 1 << 20

    private let mostKept: Int
    private let waiting = Mutex<[Buffer]>([])

    /// Keeps up to so many buffers, as many as sources are read and decoded at a time.
    package init(mostKept: Int) {
        self.mostKept = mostKept
    }

    deinit {
        for buffer in self.waiting.withLock({ $0 }) { buffer.start.deallocate() }
    }

    /// How many buffers wait to be used.
    var count: Int { self.waiting.withLock { $0.count } }

    /// Returns so many bytes, filled by a function; their memory comes back when they are let go of.
    ///
    /// - Throws: what `fill` throws.
    func data<Failure>(
        count: Int,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> Data {
        guard count > 0 else { return Data() }
        let buffer = self.take(atLeast: count)
        do {
            try fill(UnsafeMutableRawBufferPointer(start: buffer.start, count: count))
        } catch {
            self.giveBack(buffer)
            throw error
        }
        return Data(bytesNoCopy: buffer.start, count: count, deallocator: .custom { _, _ in self.giveBack(buffer) })
    }

    private func take(atLeast count: Int) -> Buffer {
        let kept = self.waiting.withLock { waiting in
            waiting.lastIndex { $0.capacity >= count }.map { waiting.remove(at: $0) }
        }
        if let kept { return kept }
        let capacity = (count + Self.step - 1) / Self.step * Self.step
        let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: MemoryLayout<Int>.alignment)
        return Buffer(start: start, capacity: capacity)
    }

    private func giveBack(_ buffer: Buffer) {
        let isKept = self.waiting.withLock { waiting in
            guard buffer.capacity <= Self.largestKept, waiting.count < self.mostKept else { return false }
            waiting.append(buffer)
            return true
        }
        if !isKept { buffer.start.deallocate() }
    }
}

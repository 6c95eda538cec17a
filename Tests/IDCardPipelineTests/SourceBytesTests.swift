import Foundation
import Synchronization
import Testing

@testable import IDCardPipeline

@Suite("The bytes of a source on their way to be decoded")
struct SourceBytesTests {
    @Test("They are let go of as soon as whoever took them is done, though the source is still known")
    func letGo() {
        let freed = Mutex(0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 7, count: 100)
        let release = Data.Deallocator.custom { pointer, _ in
            pointer.deallocate()
            freed.withLock { $0 += 1 }
        }
        let source = SourceBytes(Data(bytesNoCopy: memory, count: 100, deallocator: release))
        #expect(freed.withLock { $0 } == 0)
        #expect(source.take().last == 7)
        #expect(freed.withLock { $0 } == 1)
        withExtendedLifetime(source) {}
    }
}

import Foundation
import SystemPackage

extension FileDescriptor {
    /// Reads to the end of the file, but at most a number of bytes.
    func readUpTo(_ limit: Int) throws -> Data {
        var bytes = Data()
        while bytes.count < limit {
            let wanted = min(16_384, limit - bytes.count)
            let piece = try Data(
                [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                    count = try self.read(into: UnsafeMutableRawBufferPointer(buffer), retryOnInterrupt: true)
                }
            )
            if piece.isEmpty { break }
            bytes.append(piece)
        }
        return bytes
    }
}

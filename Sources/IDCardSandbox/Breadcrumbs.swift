import Foundation
import IDCardPipeline
import Synchronization

/// What an owner has under preparation, noted in its file: if the process dies, the file tells what it died of.
///
/// One slot of fixed size per image: the fingerprint of the source bytes in hexadecimal and a line feed, or blanks. Notes
/// are not synced: they must outlive the process, not the machine.
final class Breadcrumbs: Sendable {
    private static let digits = 64
    private static let slotSize = digits + 1
    /// More than any process prepares at once; what is written beyond is not read.
    private static let mostSlots = 4096
    private static let blank = [UInt8](repeating: UInt8(ascii: " "), count: digits) + [UInt8(ascii: "\n")]

    private let file: FileLock
    private let taken = Mutex<Set<Int>>([])

    init(in file: FileLock) {
        self.file = file
    }

    /// Notes a fingerprint of 32 bytes and returns its slot.
    ///
    /// - Throws: `StoreError.diskFull` or `StoreError.unavailable` if the file cannot be written.
    func add(_ fingerprint: Data) throws -> Int {
        let slot = self.taken.withLock { taken in
            var slot = 0
            while taken.contains(slot) { slot += 1 }
            taken.insert(slot)
            return slot
        }
        do {
            try self.file.write(Self.line(of: fingerprint), at: slot * Self.slotSize)
        } catch {
            self.taken.withLock { _ = $0.remove(slot) }
            throw error
        }
        return slot
    }

    /// Blanks a slot.
    func remove(_ slot: Int) throws {
        try self.file.write(Self.blank, at: slot * Self.slotSize)
        self.taken.withLock { _ = $0.remove(slot) }
    }

    /// Blanks all slots, as a process does that ends in order.
    func clear() throws {
        for slot in self.taken.withLock({ $0 }) { try self.remove(slot) }
    }

    /// Returns the fingerprints that a dead owner left in its file, each once.
    static func left(in file: FileLock) throws -> Set<Data> {
        let bytes = try file.contents(limit: Self.mostSlots * Self.slotSize)
        return Set(bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.fingerprint))
    }

    private static func line(of fingerprint: Data) -> [UInt8] {
        precondition(fingerprint.count * 2 == Self.digits, "a fingerprint has 32 bytes, got \(fingerprint.count)")
        let digits = Array("0123456789abcdef".utf8)
        return fingerprint.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [UInt8(ascii: "\n")]
    }

    /// A line that was torn by the end of the process is none.
    private static func fingerprint(from line: ArraySlice<UInt8>) -> Data? {
        guard line.count == Self.digits else { return nil }
        var bytes = Data()
        var rest = line
        while let high = rest.popFirst(), let low = rest.popFirst() {
            let pair = String(decoding: [high, low], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

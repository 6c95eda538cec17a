import CImaging
import Foundation
import Glibc

/// A file in memory without a name, by its descriptor; its creator closes it.
struct AnonymousFile: Sendable {
    let descriptor: Int32

    /// Creates an empty file; `nil` if the kernel refuses.
    static func make() -> AnonymousFile? {
        let descriptor = idci_memory_file()
        return descriptor < 0 ? nil : AnonymousFile(descriptor: descriptor)
    }

    /// Returns the whole content; `nil` if the file cannot be read or is larger than the limit.
    func contents(limit: Int = 1 << 31) -> Data? {
        let size = Int(lseek(self.descriptor, 0, SEEK_END))
        guard size >= 0, size <= limit else { return nil }
        var data = Data(count: size)
        let isRead = data.withUnsafeMutableBytes { bytes in
            Self.transfer(size) { pread(self.descriptor, bytes.baseAddress! + $0, size - $0, off_t($0)) }
        }
        return isRead ? data : nil
    }

    /// Writes all bytes from the start of the file; returns whether that succeeded.
    func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            Self.transfer(data.count) { pwrite(self.descriptor, bytes.baseAddress! + $0, data.count - $0, off_t($0)) }
        }
    }

    /// Repeats a call of the system until it has transferred all bytes; the call gets the number of those done.
    private static func transfer(_ count: Int, _ call: (_ done: Int) -> Int) -> Bool {
        var done = 0
        while done < count {
            let moved = call(done)
            if moved < 0, errno == EINTR { continue }
            guard moved > 0 else { return false }
            done += moved
        }
        return true
    }

    func close() { _ = Glibc.close(self.descriptor) }
}

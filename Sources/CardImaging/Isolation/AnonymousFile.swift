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
        var filled = 0
        while filled < size {
            let count = data.withUnsafeMutableBytes { bytes in
                pread(self.descriptor, bytes.baseAddress.map { $0 + filled }, size - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            filled += count
        }
        return data
    }

    /// Writes all bytes from the start of the file; returns whether that succeeded.
    func write(_ data: Data) -> Bool {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { bytes in
                pwrite(self.descriptor, bytes.baseAddress.map { $0 + written }, data.count - written, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    func close() { _ = Glibc.close(self.descriptor) }
}

import CFolders
import CardModel
import Foundation
import Glibc
import SystemPackage

/// A regular file open for reading: its status and content belong to the same file.
struct OpenFile: ~Copyable {
    enum Failure: Error, Hashable {
        case system(Errno)
        case notAFile
        /// Larger than the limit; the size in bytes.
        case tooLarge(Int)
        case changed

        /// Returns the message of the failure, as a continuation of, for example, "the manifest ".
        ///
        /// - Parameter limit: the most bytes.
        func message(limit: Int) -> Message {
            switch self {
            case .system(let code): .textSystemError(code.rawValue)
            case .notAFile: .readNotRegular
            case .tooLarge(let size): .readTooLarge(size, limit)
            case .changed: .readChanged
            }
        }
    }

    private let descriptor: Int32
    /// The status when the file was opened.
    let status: stat

    /// - Parameter followingLinks: `false` requires a real path, and refuses a symbolic link that has replaced any part of it.
    init(_ path: FilePath, followingLinks: Bool) throws(Failure) {
        // O_NONBLOCK: a pipe that replaced the file since it was listed must not block the caller.
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let descriptor = path.withPlatformString { path in
            followingLinks ? open(path, flags) : idc_open_real(path, flags | O_NOFOLLOW)
        }
        guard descriptor >= 0 else { throw .system(.last) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = Errno.last
            close(descriptor)
            throw .system(code)
        }
        guard status.kind == .file else {
            close(descriptor)
            throw .notAFile
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit { close(self.descriptor) }

    /// Reads the whole file; fails if it is larger than the limit, or changes meanwhile.
    func contents(limit: Int) throws(Failure) -> Data {
        let size = Int(self.status.st_size)
        guard size <= limit else { throw .tooLarge(size) }
        let data = try self.head(size)
        var current = stat()
        guard fstat(self.descriptor, &current) == 0 else { throw .system(.last) }
        guard data.count == size, current.st_size == self.status.st_size,
            current.st_mtim.tv_sec == self.status.st_mtim.tv_sec,
            current.st_mtim.tv_nsec == self.status.st_mtim.tv_nsec
        else { throw .changed }
        return data
    }

    /// Reads `count` bytes from the start, fewer if the file is shorter.
    func head(_ count: Int) throws(Failure) -> Data {
        var data = Data(count: min(count, Int(self.status.st_size)))
        var filled = 0
        while filled < data.count {
            let wanted = data.count - filled
            let received = data.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { pread(self.descriptor, $0 + filled, wanted, off_t(filled)) } ?? 0
            }
            if received == 0 { return data.prefix(filled) }
            if received > 0 {
                filled += received
            } else if errno != EINTR {
                throw .system(.last)
            }
        }
        return data
    }
}

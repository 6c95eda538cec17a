import Foundation
import Glibc

/// A regular file that is read up to a limit.
enum BoundedFile {
    /// Why a file was not read.
    enum Failure: Error, Hashable {
        /// The system refused.
        case system(SystemFailure)
        /// It is no regular file.
        case notAFile
        /// It has more bytes than the limit.
        case tooLarge
    }

    /// Reads a whole file.
    ///
    /// - Parameter followingLinks: `false` refuses a symbolic link as the last component.
    static func contents(
        of path: String,
        limit: Int,
        followingLinks: Bool = true
    ) throws(Failure) -> Data {
        let data = try self.head(of: path, count: limit + 1, followingLinks: followingLinks)
        guard data.count <= limit else { throw .tooLarge }
        return data
    }

    /// Reads at most `count` bytes from the start of a file.
    static func head(of path: String, count: Int, followingLinks: Bool = true) throws(Failure) -> Data {
        // O_NONBLOCK: a pipe that took the file's place since it was listed must not hang the run.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw .system(.current) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(.current) }
        guard FileKind(mode: status.st_mode) == .file else { throw .notAFile }
        let expected = min(max(Int(status.st_size), 0), count)
        var data = Data(capacity: expected)
        var chunk = [UInt8](repeating: 0, count: max(1, min(count, 1 << 16)))
        while data.count < count {
            let wanted = min(chunk.count, count - data.count)
            let received = read(descriptor, &chunk, wanted)
            if received == 0 { break }
            guard received > 0 else {
                if errno == EINTR { continue }
                throw .system(.current)
            }
            data.append(contentsOf: chunk.prefix(received))
        }
        return data
    }
}

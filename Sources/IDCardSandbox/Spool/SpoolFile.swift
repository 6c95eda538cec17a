import Foundation
import Glibc
import IDCardCore
import IDCardPipeline

/// A file without a name: nothing of it is left once it is closed, however the process ends.
final class SpoolFile: Sendable {
    private let descriptor: CInt

    /// Makes an empty file on the disk of a directory, closed to others.
    ///
    /// - Throws: `StoreError.diskFull` if there is no room, `unavailable` if the disk refuses.
    init(in directory: String) throws {
        let nameless = FileCall.open(directory, Self.temporaryFile | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
        if nameless >= 0 {
            self.descriptor = nameless
            return
        }
        // Not every file system can make files without a name: then one is taken away at once.
        guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) else { throw Self.failure("made") }
        var random = SystemRandomNumberGenerator()
        let name = "\(directory)/\(Self.namePrefix)\(UUIDText.version4(using: &random))"
        self.descriptor = FileCall.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard self.descriptor >= 0 else { throw Self.failure("made") }
        FileCall.unlink(name)
    }

    deinit {
        Glibc.close(self.descriptor)
    }

    /// How the names begin of files that have one for a moment.
    static let namePrefix = "spool-"

    /// `O_TMPFILE` of `<fcntl.h>`; not imported because Glibc hides it behind `_GNU_SOURCE`.
    private static let temporaryFile: Int32 = 0o20_000_000 | O_DIRECTORY

    /// Writes all bytes at an offset.
    ///
    /// - Throws: `StoreError.diskFull` if there is no room, `unavailable` if the disk fails.
    func write(_ bytes: Data, at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = pwrite(self.descriptor, rest.baseAddress, rest.count, off_t(offset + done))
                if count < 0 {
                    if errno == EINTR { continue }
                    throw Self.failure("written")
                }
                done += count
            }
        }
    }

    /// Reads so many bytes at an offset.
    ///
    /// - Throws: `StoreError.unavailable` if they are not there or the disk fails.
    func read(_ byteCount: Int, at offset: Int) throws -> Data {
        var bytes = Data(count: byteCount)
        try bytes.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                let count = pread(self.descriptor, rest.baseAddress, rest.count, off_t(offset + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure("read back") }
                done += count
            }
        }
        return bytes
    }

    private static func failure(_ what: String) -> StoreError { self.failure(what, error: errno) }

    /// What the engine is told of an error of the system.
    static func failure(_ what: String, error: CInt) -> StoreError {
        let reason = String(cString: strerror(error))
        // A quota and a limit on the size of files are no different from a full disk.
        if [ENOSPC, EDQUOT, EFBIG].contains(error) {
            return StoreError(
                .diskFull,
                "there is no room in the folder of the sandbox to take more in (\(reason)); free some space"
            )
        }
        return StoreError(
            .unavailable,
            "a temporary file in the folder of the sandbox cannot be \(what): \(reason); check the disk"
        )
    }
}

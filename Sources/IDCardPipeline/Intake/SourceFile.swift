package import Foundation
import Glibc
package import IDCardCore

/// An open source file: its identity is taken from the descriptor, so that what is read is what was looked at.
package struct SourceFile: ~Copyable {
    /// Why a source file could not be read.
    package struct Failure: Error, Hashable, Sendable {
        /// The stable reason.
        package var reason: ReasonCode
        /// What happened and what to do; without the path.
        package var message: String
    }

    private let descriptor: Int32
    /// What tells this file apart.
    package let identity: FileIdentity

    /// Opens a regular file for reading.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file, or of a link to it.
    ///   - expected: the only file that will do, which the path names itself; `nil` if any will.
    /// - Throws: `Failure` with `source_unreadable`, or `source_changed` if it is not the file that was expected.
    package init(path: String, expected: FileIdentity? = nil) throws(Failure) {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (expected == nil ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else {
            // A link has taken the place of the file that was looked at.
            if expected != nil, errno == ELOOP { throw Self.replaced }
            throw Self.failure(errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.failure(code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure(reason: .sourceUnreadable, message: "the input is not a regular file")
        }
        let identity = FileIdentity(path: path, status)
        guard expected ?? identity == identity else {
            close(descriptor)
            throw Self.replaced
        }
        self.descriptor = descriptor
        self.identity = identity
    }

    deinit { close(self.descriptor) }

    /// Reads the whole file.
    ///
    /// - Parameters:
    ///   - limit: the largest size accepted, in bytes.
    ///   - buffers: the memory to read into.
    package func read(limit: Int, into buffers: SourceBuffers) throws(Failure) -> Data {
        let size = Int(self.identity.size)
        guard size <= limit else { throw Self.tooLarge(size, limit: limit) }
        let data = try buffers.data(count: size) { bytes throws(Failure) in try self.fill(bytes) }
        var status = stat()
        guard fstat(self.descriptor, &status) == 0 else { throw Self.failure(errno) }
        guard FileIdentity(path: self.identity.path.reveal(), status) == self.identity else {
            throw Failure(reason: .sourceChanged, message: "the file changed while it was read; run again")
        }
        return data
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer) throws(Failure) {
        var filled = 0
        while filled < bytes.count {
            let count = pread(
                self.descriptor,
                bytes.baseAddress.map { $0 + filled },
                bytes.count - filled,
                off_t(filled)
            )
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure(errno)
            }
            guard count > 0 else {
                throw Failure(reason: .sourceChanged, message: "the file became shorter while it was read; run again")
            }
            filled += count
        }
    }

    private static let replaced = Failure(
        reason: .sourceChanged,
        message: "the file is not the one that was looked at; it is looked at anew"
    )

    private static func tooLarge(_ size: Int, limit: Int) -> Failure {
        Failure(
            reason: .sourceTooLarge,
            message: "the file has \(size) bytes, more than the \(limit) of imaging.max_source_bytes"
        )
    }

    private static func failure(_ code: Int32) -> Failure {
        let text = String(cString: strerror(code))
        return Failure(reason: .sourceUnreadable, message: "the file cannot be read: \(text)")
    }
}

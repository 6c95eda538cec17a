import Glibc

/// An open regular file whose bytes must stay as described while they are read.
///
/// Reads by position, so that copies of a reader do not disturb each other.
final class SourceFile: Sendable {
    /// What must not change between opening and the last byte.
    struct Identity: Sendable, Equatable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
        fileprivate let size: Int64
        fileprivate let modifiedSeconds: Int
        fileprivate let modifiedNanoseconds: Int
    }

    /// What the file was when it was opened.
    let identity: Identity

    private let descriptor: CInt
    private let length: UInt64
    private let partPosition: Int

    /// Opens a file and compares its size with what was stated.
    ///
    /// - Parameters:
    ///   - path: Where the file lies.
    ///   - length: The bytes it must hold.
    ///   - partPosition: The part's position in the form, from 1, for messages: a path may be personal.
    /// - Throws: ``MultipartFormError``: `source_unreadable` or `source_changed`.
    init(path: String, length: UInt64, partPosition: Int) throws(MultipartFormError) {
        // O_NONBLOCK: opening a FIFO by mistake must not wait for a writer for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Self.unreadable("cannot be opened", partPosition: partPosition, number: errno)
        }
        do {
            self.identity = try Self.identity(of: descriptor, length: length, partPosition: partPosition)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.length = length
        self.partPosition = partPosition
    }

    deinit {
        close(self.descriptor)
    }

    /// Reads up to the stated length and never past it.
    ///
    /// - Returns: How many bytes were put at the start of `buffer`: at least 1.
    /// - Throws: ``MultipartFormError``: `source_changed` when the file ends early, `source_unreadable` on an I/O
    ///   error.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MultipartFormError) -> Int {
        let wanted = Int(min(UInt64(buffer.count), self.length - offset))
        let count = try self.positionedRead(buffer.baseAddress, wanted, at: offset)
        guard count > 0 else { throw self.changed("ended after \(offset) of \(self.length) bytes") }
        return count
    }

    /// Checks, after the last byte, that there is none more and that the file is still the one that was opened.
    ///
    /// - Throws: ``MultipartFormError``: `source_changed` or `source_unreadable`.
    func verifyEnd() throws(MultipartFormError) {
        var extra: UInt8 = 0
        guard try self.positionedRead(&extra, 1, at: self.length) == 0 else {
            throw self.changed("holds more than the stated \(self.length) bytes")
        }
        let now = try Self.identity(of: self.descriptor, length: self.length, partPosition: self.partPosition)
        guard now == self.identity else { throw self.changed("was written to while it was read") }
    }

    /// An error for a file that is not what it was.
    func changed(_ what: String) -> MultipartFormError {
        Self.changed(what, partPosition: self.partPosition)
    }

    private func positionedRead(
        _ pointer: UnsafeMutableRawPointer?,
        _ count: Int,
        at offset: UInt64
    ) throws(MultipartFormError) -> Int {
        guard let position = off_t(exactly: offset) else {
            throw MultipartFormError(.tooLarge, "The file of part \(self.partPosition) is too long to be read.")
        }
        while true {
            let result = pread(self.descriptor, pointer, count, position)
            if result >= 0 { return result }
            let number = errno
            if number == EINTR { continue }
            throw Self.unreadable("cannot be read", partPosition: self.partPosition, number: number)
        }
    }

    private static func identity(
        of descriptor: CInt,
        length: UInt64,
        partPosition: Int
    ) throws(MultipartFormError) -> Identity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw self.unreadable("cannot be examined", partPosition: partPosition, number: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MultipartFormError(.sourceUnreadable, "The source of part \(partPosition) is not a regular file.")
        }
        guard UInt64(exactly: status.st_size) == length else {
            throw self.changed("holds \(status.st_size) bytes, \(length) were stated", partPosition: partPosition)
        }
        return Identity(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modifiedSeconds: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec,
        )
    }

    private static func changed(_ what: String, partPosition: Int) -> MultipartFormError {
        MultipartFormError(.sourceChanged, "The file of part \(partPosition) \(what); describe the form anew.")
    }

    private static func unreadable(_ what: String, partPosition: Int, number: CInt) -> MultipartFormError {
        MultipartFormError(
            .sourceUnreadable,
            "The file of part \(partPosition) \(what): \(String(cString: strerror(number))) (errno \(number))."
        )
    }
}

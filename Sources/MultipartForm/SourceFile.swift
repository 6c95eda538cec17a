import Glibc

/// An open regular file whose bytes must stay as described while they are read.
///
/// Reads by position, so that copies of a reader do not disturb each other.
final class SourceFile: Sendable {
    /// What must not change between opening and the last byte.
    struct Identity: Sendable, Equatable {
        fileprivate let device: UInt
        fileprivate let inode: UInt
        fileprivate let size: Int
        fileprivate let modified: [Int]
    }

    /// What the file was when it was opened.
    let identity: Identity

    private let descriptor: Descriptor
    private let length: UInt64

    /// Opens a file and compares its size with what was stated.
    init(path: String, length: UInt64, partPosition: Int) throws(MultipartFormError) {
        self.descriptor = try Descriptor(path, partPosition)
        self.length = length
        self.identity = try self.descriptor.identity(ofLength: length)
    }

    /// Fills the buffer, up to the stated length and never past it.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MultipartFormError) -> Int {
        let wanted = Int(min(UInt64(buffer.count), self.length - offset))
        var filled = 0
        while filled < wanted {
            let (place, position) = (buffer.baseAddress.map { $0 + filled }, offset + UInt64(filled))
            let count = try self.descriptor.read(place, wanted - filled, at: position)
            guard count > 0 else { throw self.changed("ended after \(position) of \(self.length) bytes") }
            filled += count
        }
        return filled
    }

    /// Checks, after the last byte, that there is none more and that the file is still the one that was opened.
    func verifyEnd() throws(MultipartFormError) {
        var extra: UInt8 = 0
        guard try self.descriptor.read(&extra, 1, at: self.length) == 0 else {
            throw self.changed("holds more than the stated \(self.length) bytes")
        }
        guard try self.descriptor.identity(ofLength: self.length) == self.identity else {
            throw self.changed("was written to while it was read")
        }
    }

    /// An error for a file that is not what it was.
    func changed(_ what: String) -> MultipartFormError { self.descriptor.changed(what) }
}

/// An open file of a part, closed with its owner; its errors name the part.
private final class Descriptor: Sendable {
    private let number: CInt
    private let partPosition: Int

    init(_ path: String, _ partPosition: Int) throws(MultipartFormError) {
        self.partPosition = partPosition
        // O_NONBLOCK: opening a FIFO by mistake must not wait for a writer for ever.
        self.number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard self.number >= 0 else { throw self.unreadable("cannot be opened") }
    }

    deinit { if self.number >= 0 { close(self.number) } }

    func read(
        _ pointer: UnsafeMutableRawPointer?,
        _ count: Int,
        at offset: UInt64
    ) throws(MultipartFormError) -> Int {
        while true {
            let result = pread(self.number, pointer, count, off_t(offset))
            if result >= 0 { return result }
            guard errno == EINTR else { throw self.unreadable("cannot be read") }
        }
    }

    func identity(ofLength length: UInt64) throws(MultipartFormError) -> SourceFile.Identity {
        var status = stat()
        guard fstat(self.number, &status) == 0 else { throw self.unreadable("cannot be examined") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MultipartFormError(
                .sourceUnreadable,
                "The source of part \(self.partPosition) is not a regular file."
            )
        }
        guard UInt64(exactly: status.st_size) == length else {
            throw self.changed("holds \(status.st_size) bytes, \(length) were stated")
        }
        return SourceFile.Identity(
            device: status.st_dev,
            inode: status.st_ino,
            size: status.st_size,
            modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        )
    }

    func changed(_ what: String) -> MultipartFormError {
        MultipartFormError(.sourceChanged, "The file of part \(self.partPosition) \(what); describe the form again.")
    }

    private func unreadable(_ what: String) -> MultipartFormError {
        let number = errno
        let reason = "\(String(cString: strerror(number))) (errno \(number))"
        return MultipartFormError(.sourceUnreadable, "The file of part \(self.partPosition) \(what): \(reason).")
    }
}

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

    private let descriptor: CInt
    private let length: UInt64
    private let partPosition: Int

    /// Opens a file and compares its size with what was stated.
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

    /// Fills the buffer, up to the stated length and never past it.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MultipartFormError) -> Int {
        let wanted = Int(min(UInt64(buffer.count), self.length - offset))
        var filled = 0
        while filled < wanted {
            let (place, position) = (buffer.baseAddress.map { $0 + filled }, offset + UInt64(filled))
            let count = try self.positionedRead(place, wanted - filled, at: position)
            guard count > 0 else { throw self.changed("ended after \(position) of \(self.length) bytes") }
            filled += count
        }
        return filled
    }

    /// Checks, after the last byte, that there is none more and that the file is still the one that was opened.
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
        while true {
            let result = pread(self.descriptor, pointer, count, off_t(offset))
            if result >= 0 { return result }
            if errno == EINTR { continue }
            throw Self.unreadable("cannot be read", partPosition: self.partPosition, number: errno)
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
            device: status.st_dev,
            inode: status.st_ino,
            size: status.st_size,
            modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        )
    }

    private static func changed(_ what: String, partPosition: Int) -> MultipartFormError {
        MultipartFormError(.sourceChanged, "The file of part \(partPosition) \(what); describe the form again.")
    }

    private static func unreadable(_ what: String, partPosition: Int, number: CInt) -> MultipartFormError {
        MultipartFormError(
            .sourceUnreadable,
            "The file of part \(partPosition) \(what): \(String(cString: strerror(number))) (errno \(number))."
        )
    }
}

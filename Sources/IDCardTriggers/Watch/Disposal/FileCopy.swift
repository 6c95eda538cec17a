import Glibc

/// Moves a file of a known shape to another file system: copy, sync, rename, and only then delete.
struct FileCopy {
    private static let chunk = 1 << 18

    let shape: FileShape
    /// What goes wrong on purpose.
    var faults = FileMoveFaults()

    /// Moves the file; the folders are still to be synced, but the copy is durable before the source is deleted.
    func move(
        _ name: String,
        from source: borrowing FolderDescriptor,
        as newName: String,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> FileMove.Outcome {
        let input = openat(source.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard input >= 0 else { throw SystemFailure.current }
        defer { close(input) }
        guard try Self.shape(of: input) == self.shape else { return .gone }
        if try target.has(newName) {
            // From a move that was interrupted after the copy.
            guard try self.isCopy(newName, in: target, of: input) else { return .nameTaken }
        } else {
            let outcome = try self.copy(input, as: newName, to: target)
            guard outcome == .moved else { return outcome }
        }
        try target.sync()
        // If the file has changed since, what was taken in is put away all the same, and the rest is news.
        _ = try FileRemoval(shape: self.shape, faults: self.faults).remove(name, from: source)
        return .moved
    }

    private static func shape(of descriptor: Int32) throws(SystemFailure) -> FileShape {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemFailure.current }
        return FileShape(status)
    }

    /// Copies to a name that is free.
    private func copy(
        _ input: Int32,
        as newName: String,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> FileMove.Outcome {
        let temporary = PassingName.part(self.shape)
        var status = stat()
        guard fstat(input, &status) == 0 else { throw SystemFailure.current }
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let output = openat(target.number, temporary, flags, 0o600)
        guard output >= 0 else { throw SystemFailure.current }
        defer { close(output) }
        do throws(SystemFailure) {
            try Self.pour(input, into: output)
            self.faults.beforeStep()
            let times = [status.st_atim, status.st_mtim]
            guard fchmod(output, status.st_mode & 0o777) == 0, futimens(output, times) == 0, fsync(output) == 0 else {
                throw SystemFailure.current
            }
            guard try Self.shape(of: input) == self.shape else {
                unlinkat(target.number, temporary, 0)
                return .gone
            }
        } catch {
            unlinkat(target.number, temporary, 0)
            throw error
        }
        return try self.rename(temporary, to: newName, in: target) ? .moved : .nameTaken
    }

    private func rename(
        _ temporary: String,
        to name: String,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            let step = ExclusiveRename(faults: self.faults)
            if try step.rename(temporary, in: folder, to: name, in: folder) == .renamed { return true }
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
        unlinkat(folder.number, temporary, 0)
        return false
    }

    private static func pour(_ input: Int32, into output: Int32) throws(SystemFailure) {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            let count = try self.fill(&buffer, from: input)
            guard count > 0 else { return }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                if written < 0 {
                    if errno == EINTR { continue }
                    throw SystemFailure.current
                }
                rest = rest.dropFirst(written)
            }
        }
    }

    /// Reads until a buffer is full or the file ends.
    private static func fill(_ buffer: inout [UInt8], from input: Int32) throws(SystemFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = buffer.withUnsafeMutableBytes { bytes in
                read(input, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFailure.current
            }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// Whether a file holds the same bytes as the one to be moved.
    func isCopy(
        _ name: String,
        in target: borrowing FolderDescriptor,
        of original: String,
        in source: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Bool {
        let input = openat(source.number, original, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard input >= 0 else { return false }
        defer { close(input) }
        return try self.isCopy(name, in: target, of: input)
    }

    private func isCopy(
        _ name: String,
        in target: borrowing FolderDescriptor,
        of input: Int32
    ) throws(SystemFailure) -> Bool {
        let other = openat(target.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard other >= 0 else { return false }
        defer { close(other) }
        guard try Self.shape(of: other).size == self.shape.size else { return false }
        defer { lseek(input, 0, SEEK_SET) }
        var left = [UInt8](repeating: 0, count: Self.chunk)
        var right = left
        while true {
            let count = try Self.fill(&left, from: input)
            guard try Self.fill(&right, from: other) == count, left[..<count] == right[..<count] else { return false }
            if count < Self.chunk { return true }
        }
    }
}

import Dispatch
import Foundation
import Glibc
import IDCardPipeline

/// The certificates of all erasures, one JSON object a line; of two lines of one card the later counts.
struct ErasureJournal: Sendable {
    let directory: SandboxDirectory

    /// Adds lines; they are durable when it returns.
    ///
    /// - Throws: `StoreError.unavailable` if the file cannot be written; the lines stay to be written.
    func append(_ lines: [Data]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try self.appendBlocking(lines) })
            }
        }
    }

    /// Says why no line can be added, if that is so; adds none.
    func obstacle() -> String? {
        let descriptor = FileCall.open(self.directory.erasures, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor < 0 else {
            Glibc.close(descriptor)
            return nil
        }
        // The first erasure makes it.
        guard errno != ENOENT else { return nil }
        let reason = String(cString: strerror(errno))
        return "erasures cannot be logged, so none is finished: \(self.directory.explained(reason))"
    }

    private func appendBlocking(_ lines: [Data]) throws {
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = FileCall.open(self.directory.erasures, flags, 0o600)
        guard descriptor >= 0 else { throw self.failure("opened") }
        defer { Glibc.close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw self.failure("closed to others") }
        var content = Data()
        // What a crash cut off must not swallow the next line.
        if try self.endsWithinLine(descriptor) { content.append(UInt8(ascii: "\n")) }
        for line in lines { content += line + [UInt8(ascii: "\n")] }
        try self.write(content, to: descriptor)
        guard fsync(descriptor) == 0 else { throw self.failure("made durable") }
        try self.synchroniseDirectory()
    }

    private func endsWithinLine(_ descriptor: CInt) throws -> Bool {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end > 0 else { return false }
        var last: UInt8 = 0
        guard pread(descriptor, &last, 1, end - 1) == 1 else { throw self.failure("read") }
        return last != UInt8(ascii: "\n")
    }

    /// Writes in one call where the system lets it, so that lines of two processes do not mix.
    private func write(_ content: Data, to descriptor: CInt) throws {
        var rest = content
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw self.failure("written")
            }
            rest = Data(rest.dropFirst(count))
        }
    }

    private func synchroniseDirectory() throws {
        let descriptor = FileCall.open(self.directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.failure("found again") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw self.failure("made durable") }
    }

    private func failure(_ what: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            .unavailable,
            "the file of erasures in the sandbox cannot be \(what): \(self.directory.explained(reason)); the card is "
                + "erased, erase it once more to have its certificate written"
        )
    }
}

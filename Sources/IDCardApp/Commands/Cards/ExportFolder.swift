import Foundation
import Glibc

/// A folder that takes exported files, for their owner's eyes only.
struct ExportFolder {
    private let path: String

    /// Takes a folder, and makes it and those above it if they are not there, closed to others.
    ///
    /// - Throws: `CardCommandError` if it cannot be made.
    init(_ path: String) throws {
        try Self.make(path)
        self.path = path
    }

    private static func make(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = (path as NSString).deletingLastPathComponent
        guard errno == ENOENT, !parent.isEmpty, parent != path else { throw self.failure("the folder cannot be made") }
        try self.make(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw self.failure("the folder cannot be made") }
    }

    /// Writes new files with mode 0600; they are durable when it returns.
    ///
    /// - Throws: `CardCommandError` if one is there already or cannot be written; none is left half-written.
    func write(_ files: [(name: String, content: Data)]) throws {
        for (name, content) in files { try self.write(content, to: "\(self.path)/\(name)") }
    }

    private func write(_ content: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("a file cannot be made") }
        defer { close(descriptor) }
        do {
            guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("a file cannot be closed to others") }
            var rest = content
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure("a file cannot be written") }
                rest = Data(rest.dropFirst(count))
            }
            guard fsync(descriptor) == 0 else { throw Self.failure("a file cannot be made durable") }
        } catch {
            unlink(path)
            throw error
        }
    }

    private static func failure(_ what: String) -> CardCommandError {
        .unwritable("\(what): \(String(cString: strerror(errno)))")
    }
}

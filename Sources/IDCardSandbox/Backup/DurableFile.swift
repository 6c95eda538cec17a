import Glibc
import IDCardPipeline

/// Files that appear whole or not at all: made under another name, stored durably, and then renamed.
enum DurableFile {
    /// Makes an empty file that only its owner may look into.
    ///
    /// - Throws: `StoreError.unavailable` if it is there already or cannot be made.
    static func create(_ path: String) throws {
        let descriptor = FileCall.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("the file \(path) cannot be made") }
        defer { Glibc.close(descriptor) }
        // Whatever the umask.
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("the mode of \(path) cannot be set") }
    }

    /// Copies a file into one that was made before.
    static func copy(_ source: String, into target: String) throws {
        let input = FileCall.open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw Self.failure("the file \(source) cannot be opened") }
        defer { Glibc.close(input) }
        let output = FileCall.open(target, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
        guard output >= 0 else { throw Self.failure("the file \(target) cannot be opened") }
        defer { Glibc.close(output) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            if count == 0 { return }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure("the file \(source) cannot be read")
            }
            try Self.write(buffer[..<count], to: output, named: target)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, named path: String) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure("the file \(path) cannot be written")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes what stands in a file or folder durable.
    static func synchronise(_ path: String) throws {
        let descriptor = FileCall.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("\(path) cannot be opened") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("\(path) cannot be made durable") }
    }

    /// Gives a file its final name and makes that durable.
    ///
    /// - Parameter replacing: whether a file of that name may be replaced.
    /// - Throws: `StoreError.conflict` if there is one and it may not.
    static func rename(_ path: String, to target: String, replacing: Bool) throws {
        if !replacing {
            // Unlike rename(2), link(2) never takes the place of a file.
            if FileCall.link(path, target) == 0 {
                FileCall.unlink(path)
                return try Self.synchronise(Self.folder(of: target))
            }
            // Some file systems have no links.
            guard [EPERM, ENOTSUP, ENOSYS].contains(errno), FileCall.access(target, F_OK) != 0 else {
                if errno == EEXIST || FileCall.access(target, F_OK) == 0 { throw Self.exists(target) }
                throw Self.failure("the file \(target) cannot be made")
            }
        }
        guard FileCall.rename(path, target) == 0 else { throw Self.failure("the file \(target) cannot be made") }
        try Self.synchronise(Self.folder(of: target))
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func exists(_ path: String) -> StoreError {
        StoreError(.conflict, "there is a file \(path) already; name another, or replace it with --force")
    }

    /// The error of a call that has just failed.
    static func failure(_ what: String) -> StoreError {
        let error = errno
        let words = "\(what): \(String(cString: strerror(error)))"
        return error == ENOSPC || error == EDQUOT
            ? StoreError(.diskFull, "\(words); free some space, then try again")
            : StoreError(.unavailable, "\(words); check the path, its owner and the free space")
    }
}

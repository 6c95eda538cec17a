import CFolders
import Glibc
import SystemPackage

// Calls of the C library that swift-system lacks.

/// Outside the extension, since `stat` inside it is a method of `FilePath`.
private func readStatus(_ path: UnsafePointer<CChar>, _ status: inout stat, followingLinks: Bool) -> Int32 {
    followingLinks ? stat(path, &status) : lstat(path, &status)
}

extension FilePath {
    func status(followingLinks: Bool) throws(Errno) -> Glibc.stat {
        var status = Glibc.stat()
        let result = self.withPlatformString { readStatus($0, &status, followingLinks: followingLinks) }
        guard result == 0 else { throw Errno.last }
        return status
    }

    /// Opens a real path; a link that has replaced a part of the path is not followed (`ELOOP`).
    func openReal(_ flags: Int32) throws(Errno) -> Int32 {
        let descriptor = self.withPlatformString { idc_open_real($0, flags | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { throw Errno.last }
        return descriptor
    }

    /// Returns the status of a real path; see `openReal`.
    func realStatus() throws(Errno) -> Glibc.stat {
        var status = Glibc.stat()
        let descriptor = self.withPlatformString { idc_open_real_path($0) }
        guard descriptor >= 0 else { throw Errno.last }
        defer { close(descriptor) }
        guard fstat(descriptor, &status) == 0 else { throw Errno.last }
        return status
    }

    /// Returns the path without links, `.` and `..`.
    func real() throws(Errno) -> FilePath {
        guard let resolved = (self.isEmpty ? "." : self).withPlatformString({ realpath($0, nil) }) else {
            throw Errno.last
        }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    /// Whether the bytes of this path come before those of another one.
    func precedes(_ other: FilePath) -> Bool {
        self.withPlatformString { left in other.withPlatformString { strcmp(left, $0) < 0 } }
    }

    /// The last component; empty for the root and the empty path.
    var name: String {
        let text = self.text
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text.utf8[text.utf8.index(after: slash)...]) ?? ""
    }

    // `string` and `String(validating:)` decode byte by byte through generic code, which takes a debug build half a
    // millisecond.

    /// The path as text; bytes other than UTF-8 are replaced.
    var text: String { self.withPlatformString { String(cString: $0) } }

    var isUTF8: Bool { self.withPlatformString { String(validatingCString: $0) != nil } }
}

extension FilePath.Component {
    /// The name as text; bytes other than UTF-8 are replaced.
    var text: String { self.withPlatformString { String(cString: $0) } }

    var isUTF8: Bool { self.withPlatformString { String(validatingCString: $0) != nil } }
}

extension Errno {
    /// The error of the last failed call.
    static var last: Errno { Errno(rawValue: errno) }

    /// Whether the path does not exist.
    var isAbsence: Bool { self == .noSuchFileOrDirectory || self == .notDirectory }
}

extension stat {
    enum Kind {
        case file
        case folder
        case link
        /// A socket, pipe or device: never opened, since opening one may block or act.
        case other
    }

    var kind: Kind {
        switch self.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }
}

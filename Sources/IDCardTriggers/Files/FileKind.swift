import Glibc

/// What a path names.
enum FileKind: Hashable {
    /// A regular file.
    case file
    /// A folder.
    case folder
    /// A symbolic link.
    case link
    /// A socket, pipe or device: never opened, since opening one may block or act.
    case other

    /// Looks a path up.
    ///
    /// - Throws: `SystemFailure`, its `isAbsence` true if there is nothing of this name.
    static func of(_ path: String, followingLinks: Bool) throws(SystemFailure) -> FileKind {
        var status = stat()
        let result = followingLinks ? stat(path, &status) : lstat(path, &status)
        guard result == 0 else { throw SystemFailure.current }
        return FileKind(mode: status.st_mode)
    }

    /// Returns the real path: absolute, without links, `.` and `..`.
    static func realPath(of path: String) throws(SystemFailure) -> String {
        guard let resolved = realpath(path, nil) else { throw SystemFailure.current }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else { throw SystemFailure(code: EILSEQ) }
        return text
    }

    /// Reads the kind from the mode bits of `stat`.
    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        default: self = .other
        }
    }
}

import CFolders
import Glibc

/// Renames a file without ever replacing another, by whatever the file system can.
///
/// Where it knows no rename that replaces nothing, the file gets a second name and loses the first. Where there are no
/// second names either (object stores and the like), the new name is reserved by an empty file, over which the file is
/// renamed; a process killed in between leaves the empty file behind.
struct ExclusiveRename: Sendable {
    /// What came of it.
    enum Outcome: Hashable {
        /// It has the new name.
        case renamed
        /// It has the new name beside the old one, which is still to be taken away.
        case linked
        /// The new name is taken.
        case nameTaken
        /// There is no such file.
        case absent
        /// The new name is on another file system.
        case otherFileSystem
    }

    /// What goes wrong on purpose.
    var faults = FileMoveFaults()

    /// Renames a file; if it only got a second name, the first is taken away at once.
    func rename(
        _ name: String,
        in source: borrowing FolderDescriptor,
        to newName: String,
        in target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        let outcome = try self.begin(name, in: source, to: newName, in: target)
        guard outcome == .linked else { return outcome }
        guard unlinkat(source.number, name, 0) == 0 else { throw SystemFailure.current }
        return .renamed
    }

    /// Renames a file, or gives it a second name.
    func begin(
        _ name: String,
        in source: borrowing FolderDescriptor,
        to newName: String,
        in target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        self.faults.beforeStep()
        if self.faults.onRename == nil, idc_rename_new(source.number, name, target.number, newName) == 0 {
            return .renamed
        }
        let failure = self.faults.onRename ?? SystemFailure.current
        guard [EINVAL, ENOSYS, ENOTSUP].contains(failure.code) else { return try Self.outcome(of: failure) }
        if self.faults.onLink == nil, linkat(source.number, name, target.number, newName, 0) == 0 { return .linked }
        let refusal = self.faults.onLink ?? SystemFailure.current
        // EPERM also where the file is another user's (proc(5), protected_hardlinks).
        guard [EPERM, EINVAL, ENOSYS, ENOTSUP, EMLINK].contains(refusal.code) else {
            return try Self.outcome(of: refusal)
        }
        return try Self.replace(name, in: source, to: newName, in: target)
    }

    private static func outcome(of failure: SystemFailure) throws(SystemFailure) -> Outcome {
        switch failure.code {
        case ENOENT: return .absent
        case EEXIST: return .nameTaken
        case EXDEV: return .otherFileSystem
        default: throw failure
        }
    }

    private static func replace(
        _ name: String,
        in source: borrowing FolderDescriptor,
        to newName: String,
        in target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let reserved = openat(target.number, newName, flags, 0o600)
        guard reserved >= 0 else {
            let failure = SystemFailure.current
            // Here it is the folder that is absent, not the file.
            if failure.code == ENOENT { throw failure }
            return try self.outcome(of: failure)
        }
        defer { close(reserved) }
        // Else somebody has written to it, or put another file in its place.
        guard try self.isUntouched(reserved, newName, in: target) else { return .nameTaken }
        if renameat(source.number, name, target.number, newName) == 0 { return .renamed }
        let failure = SystemFailure.current
        guard try self.isUntouched(reserved, newName, in: target) else { return .nameTaken }
        unlinkat(target.number, newName, 0)
        return try self.outcome(of: failure)
    }

    /// Whether a file that was made to reserve a name still has it and is empty.
    private static func isUntouched(
        _ reserved: Int32,
        _ name: String,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Bool {
        var status = stat()
        guard fstat(reserved, &status) == 0 else { throw SystemFailure.current }
        let found = try folder.shape(of: name)
        return status.st_size == 0 && found == FileShape(status)
    }
}

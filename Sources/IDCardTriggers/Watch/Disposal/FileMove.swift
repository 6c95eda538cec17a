import CFolders
import Glibc

/// Renames one file of a known shape into a folder, without ever replacing another.
struct FileMove {
    /// What came of it.
    enum Outcome: Hashable {
        /// It has the new name.
        case moved
        /// The new name is that of another file.
        case nameTaken
        /// The file is not what it was, or not there.
        case gone
    }

    let shape: FileShape

    /// Moves the file; the folders are still to be synced.
    func move(
        _ name: String,
        from source: borrowing FolderDescriptor,
        as newName: String,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        guard try source.shape(of: name) == self.shape else { return .gone }
        if idc_rename_new(source.number, name, target.number, newName) == 0 {
            return try self.confirm(name, in: source, as: newName, in: target)
        }
        let failure = SystemFailure.current
        switch failure.code {
        case ENOENT: return .gone
        case EEXIST: return try self.isLeftOver(newName, in: target) ? self.drop(name, from: source) : .nameTaken
        case EINVAL, ENOSYS, ENOTSUP: return try self.link(name, from: source, as: newName, to: target)
        case EXDEV: return try FileCopy(shape: self.shape).move(name, from: source, as: newName, to: target)
        default: throw failure
        }
    }

    /// Whether the target is a second name of the file, from a move by links that was interrupted.
    private func isLeftOver(_ newName: String, in target: borrowing FolderDescriptor) throws(SystemFailure) -> Bool {
        guard let there = try target.shape(of: newName) else { return false }
        return there == self.shape && there.names > 1
    }

    /// Looks at what was renamed, and puts it back if it is not the file that was meant.
    private func confirm(
        _ name: String,
        in source: borrowing FolderDescriptor,
        as newName: String,
        in target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        guard try target.shape(of: newName) != self.shape else { return .moved }
        for own in NumberedName(name) {
            if idc_rename_new(target.number, newName, source.number, own) == 0 { break }
            guard errno == EEXIST else { throw SystemFailure.current }
        }
        return .gone
    }

    /// Moves by a second name where a rename may replace: the file has both for a moment.
    private func link(
        _ name: String,
        from source: borrowing FolderDescriptor,
        as newName: String,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        guard linkat(source.number, name, target.number, newName, 0) == 0 else {
            let failure = SystemFailure.current
            switch failure.code {
            case ENOENT: return .gone
            case EEXIST: return try self.isLeftOver(newName, in: target) ? self.drop(name, from: source) : .nameTaken
            default: throw failure
            }
        }
        return try self.drop(name, from: source)
    }

    private func drop(_ name: String, from source: borrowing FolderDescriptor) throws(SystemFailure) -> Outcome {
        guard try source.shape(of: name) == self.shape else { return .gone }
        guard unlinkat(source.number, name, 0) == 0 else { throw SystemFailure.current }
        return .moved
    }
}

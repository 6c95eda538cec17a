import CFolders
import CardModel
import Glibc
import SystemPackage

/// Gives one file another name, in its folder or in another one, without ever replacing a file.
///
/// Only the intended file is moved: another file that replaced it meanwhile gets its name back.
struct FileMove {
    enum Outcome: Hashable {
        case moved
        /// Another file has the new name.
        case nameTaken
        /// The file has changed or is missing.
        case gone
    }

    enum Way: CaseIterable {
        /// A rename that replaces nothing.
        case rename
        /// A hard link, then removal of the first name: NFS and other file systems have no rename that replaces nothing.
        case link
        /// A rename over an empty file that reserves the name: for file systems without hard links, too.
        case reservation
    }

    /// The file as it was observed.
    let identity: FileIdentity
    /// The ways to try; tests leave some out.
    var ways = Way.allCases

    /// Moves the file to a new name; completes a move that was cut short.
    func move(
        _ name: String,
        from source: borrowing OpenFolder,
        as newName: String,
        to target: borrowing OpenFolder
    ) throws(Errno) -> Outcome {
        guard try source.holds(self.identity, as: name) else { return .gone }
        switch try self.rename(name, in: source, to: newName, in: target) {
        case nil:
            if try target.holds(self.identity, as: newName) { return .moved }
            try self.restoreName(newName, from: target, as: name, to: source)
            return .gone
        case .fileExists?:
            // The same file may have both names, from a move that was cut short.
            guard try target.holds(self.identity, as: newName) else { return .nameTaken }
            // `remove` leaves another file alone that has the first name now.
            _ = try self.remove(name, from: source)
            return .moved
        case .noSuchFileOrDirectory?: return .gone
        case let error?: throw error
        }
    }

    /// Deletes the file and its companions, and never another file that has its name.
    ///
    /// No system call deletes a file by its identity. So the file first gets a name that nothing else uses, and is checked under
    /// that name (`TransitName`).
    ///
    /// - Parameter companions: its companions in the folder; they are deleted first, while the name still identifies them.
    /// - Returns: `false` if the file is another one, or has changed.
    /// - Throws: `Errno` if the file cannot be deleted; it then has its name again.
    func remove(
        _ name: String,
        from folder: borrowing OpenFolder,
        with companions: [FileObservation.Companion] = []
    ) throws(Errno) -> Bool {
        guard try folder.holds(self.identity, as: name) else { return false }
        let transitName = TransitName(self.identity, with: companions.map(\.identity)).text
        guard renameat(folder.descriptor, name, folder.descriptor, transitName) == 0 else {
            let error = Errno.last
            guard error.isAbsence else { throw error }
            return false
        }
        do throws(Errno) {
            if try folder.holds(self.identity, as: transitName) {
                for companion in companions {
                    _ = try FileMove(identity: companion.identity).remove(companion.name, from: folder)
                }
                try folder.unlink(transitName)
                return true
            }
        } catch {
            try self.restoreName(transitName, from: folder, as: name, to: folder)
            throw error
        }
        try self.restoreName(transitName, from: folder, as: name, to: folder)
        return false
    }

    /// Renames the file in the first way that the file system supports.
    ///
    /// - Returns: why the file was not renamed; `nil` if it was.
    private func rename(
        _ name: String,
        in source: borrowing OpenFolder,
        to newName: String,
        in target: borrowing OpenFolder
    ) throws(Errno) -> Errno? {
        if self.ways.contains(.rename) {
            if idc_rename_new(source.descriptor, name, target.descriptor, newName) == 0 { return nil }
            let error = Errno.last
            guard [EINVAL, ENOSYS, ENOTSUP].contains(error.rawValue) else { return error }
        }
        if self.ways.contains(.link) {
            if linkat(source.descriptor, name, target.descriptor, newName, 0) == 0 {
                // Checked by identity: a newer file may have taken the first name meanwhile.
                guard let linked = try target.status(of: newName) else { return nil }
                _ = try FileMove(identity: FileIdentity(path: newName, linked)).remove(name, from: source)
                return nil
            }
            let error = Errno.last
            // EPERM also for a file of another user (proc(5), protected_hardlinks).
            guard [EPERM, EINVAL, ENOSYS, ENOTSUP, EMLINK].contains(error.rawValue) else { return error }
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let reserved = openat(target.descriptor, newName, flags, 0o600)
        guard reserved >= 0 else { return .last }
        close(reserved)
        if renameat(source.descriptor, name, target.descriptor, newName) == 0 { return nil }
        let error = Errno.last
        unlinkat(target.descriptor, newName, 0)
        return error
    }

    /// Gives the file its name back; if another file has taken it, the next free numbered name.
    private func restoreName(
        _ newName: String,
        from target: borrowing OpenFolder,
        as name: String,
        to source: borrowing OpenFolder
    ) throws(Errno) {
        let names = NumberedName(name, leavingRoomFor: 0)
        var number = 1
        while let error = try self.rename(newName, in: target, to: names[number], in: source) {
            // Another process has found the file by its transit name and deleted it.
            if error.isAbsence { return }
            guard error == .fileExists else { throw error }
            number += 1
        }
    }
}

import Glibc

/// Deletes a file of a known shape, and never another one that has taken its name.
///
/// No system call deletes a file by what it is. So the file first gets a name that nobody else uses, is looked at
/// there, and only then deleted; if it proves to be another one, it gets its name back.
struct FileRemoval {
    let shape: FileShape
    /// What goes wrong on purpose.
    var faults = FileMoveFaults()

    /// Deletes the file; the folder is still to be synced.
    ///
    /// - Returns: `false` if there is no such file, or it is another one or has changed.
    func remove(_ name: String, from folder: borrowing FolderDescriptor) throws(SystemFailure) -> Bool {
        guard try folder.shape(of: name) == self.shape else { return false }
        guard PassingName(name) == nil else { return try self.delete(name, from: folder) }
        let passing = PassingName.last(of: name, self.shape)
        self.faults.beforeStep()
        // Whatever has this name by now; the new one is random, so it replaces nothing.
        guard renameat(folder.number, name, folder.number, passing) == 0 else {
            let failure = SystemFailure.current
            if failure.isAbsence { return false }
            throw failure
        }
        do throws(SystemFailure) {
            if try folder.shape(of: passing) == self.shape, try self.delete(passing, from: folder) { return true }
        } catch {
            self.giveBack(passing, as: name, in: folder)
            throw error
        }
        self.giveBack(passing, as: name, in: folder)
        return false
    }

    private func delete(_ name: String, from folder: borrowing FolderDescriptor) throws(SystemFailure) -> Bool {
        self.faults.beforeStep()
        guard unlinkat(folder.number, name, 0) != 0 else { return true }
        let failure = SystemFailure.current
        if failure.isAbsence { return false }
        throw failure
    }

    /// Gives another file its name back; where that is taken meanwhile, a later scan does.
    private func giveBack(_ passing: String, as name: String, in folder: borrowing FolderDescriptor) {
        _ = try? ExclusiveRename(faults: self.faults).rename(passing, in: folder, to: name, in: folder)
    }
}

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
    /// What goes wrong on purpose.
    var faults = FileMoveFaults()

    /// Moves the file; the folders are still to be synced.
    func move(
        _ name: String,
        from source: borrowing FolderDescriptor,
        as newName: String,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Outcome {
        guard try source.shape(of: name) == self.shape else { return .gone }
        switch try ExclusiveRename(faults: self.faults).begin(name, in: source, to: newName, in: target) {
        case .renamed: return try self.confirm(name, in: source, as: newName, in: target)
        case .linked:
            let outcome = try self.confirm(name, in: source, as: newName, in: target)
            return outcome == .moved ? try self.drop(name, from: source) : outcome
        case .nameTaken: return try self.isLeftOver(newName, in: target) ? self.drop(name, from: source) : .nameTaken
        case .absent: return .gone
        case .otherFileSystem:
            let copy = FileCopy(shape: self.shape, faults: self.faults)
            return try copy.move(name, from: source, as: newName, to: target)
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
        let back = ExclusiveRename(faults: self.faults)
        if PassingName(newName) != nil {
            // Under another name it might be taken for somebody else's: while its own is taken, it waits for a later scan.
            _ = try back.rename(newName, in: target, to: name, in: source)
            return .gone
        }
        let names = NumberedName(name)
        var number = 1
        while try back.rename(newName, in: target, to: names[number], in: source) == .nameTaken {
            number = try names.free(above: number, in: source)
        }
        return .gone
    }

    /// Takes the first name away once the file has its second; another file that has the first by now keeps it.
    private func drop(_ name: String, from source: borrowing FolderDescriptor) throws(SystemFailure) -> Outcome {
        _ = try FileRemoval(shape: self.shape, faults: self.faults).remove(name, from: source)
        return .moved
    }
}

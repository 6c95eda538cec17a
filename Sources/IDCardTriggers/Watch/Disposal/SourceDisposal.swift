import Glibc

/// Puts a source file away, once what it says is durable elsewhere.
///
/// Only the very file that was taken is touched: it is renamed first, which replaces nothing, and looked at under its
/// new name; if another one had taken its place meanwhile, that one is put back. What goes with it is out of the way
/// before, and follows after. Blocks.
struct SourceDisposal {
    /// What a file is put away as.
    enum Ending: Hashable, Sendable {
        case done
        case failed(FailureNote)
        /// Where a refused file is that it belongs to.
        case besideFailed
        case deleted
    }

    let file: TakenFile
    /// What goes wrong on purpose.
    var faults = FileMoveFaults()

    /// Puts the file away; durable when this returns.
    ///
    /// - Returns: where it is; `gone` if it was replaced or taken away.
    /// - Throws: `SystemFailure`; the file and what goes with it then have their names, unless the file is away already.
    func put(as ending: Ending) throws(SystemFailure) -> WatchEvent.Place {
        let source: FolderDescriptor
        do {
            source = try FolderDescriptor(unlinked: self.file.root.path).below(self.file.folders)
        } catch {
            if error.isAbsence { return .gone }
            throw error
        }
        guard try source.shape(of: self.file.name) == self.file.shape else { return .gone }
        let place = try self.put(as: ending, from: source)
        // Whoever found it unchanged would try again at once, and for ever.
        if place == .gone, try source.shape(of: self.file.name) == self.file.shape { throw SystemFailure(code: EBUSY) }
        return place
    }

    private func put(as ending: Ending, from source: borrowing FolderDescriptor) throws(SystemFailure)
        -> WatchEvent.Place
    {
        guard ending != .deleted else { return try self.delete(from: source) }
        let path = ending == .done ? self.file.root.donePath : self.file.root.failedPath
        let target = try PutAwayMark.making(path).below(self.file.folders, making: true)
        let companions = try CompanionsAside(of: self.file, in: source, faults: self.faults)
        let name: String?
        do throws(SystemFailure) {
            switch ending {
            case .failed(let note): name = try self.fail(note, from: source, to: target)
            case .done, .besideFailed, .deleted: name = try self.move(from: source, to: target)
            }
        } catch {
            companions.giveBack(in: source)
            throw error
        }
        guard let name else {
            companions.giveBack(in: source)
            return .gone
        }
        try companions.follow(name, from: source, to: target)
        try target.sync()
        try source.sync()
        return ending == .done ? .done : .failed
    }

    // MARK: Moving

    /// Moves the file under the first name that is free, with a note beside it.
    ///
    /// - Returns: the name; `nil` if the file was replaced or taken away.
    private func fail(
        _ note: FailureNote,
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> String? {
        let step = FileMove(shape: self.file.shape, faults: self.faults)
        for name in NumberedName(self.file.name, leavingRoomFor: FailureNote.addedBytes) {
            // The note is there first: a file without one would be a riddle, a note without a file is overwritten.
            guard try !target.has(name) else { continue }
            try note.write(as: name + FailureNote.suffix, in: target)
            let outcome = try step.move(self.file.name, from: source, as: name, to: target)
            if outcome == .moved { return name }
            guard unlinkat(target.number, name + FailureNote.suffix, 0) == 0 else { throw SystemFailure.current }
            if outcome == .gone { return nil }
        }
        throw SystemFailure(code: EEXIST)
    }

    /// Moves the file under the first name that is free.
    ///
    /// - Returns: the name; `nil` if the file was replaced or taken away.
    private func move(
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> String? {
        let step = FileMove(shape: self.file.shape, faults: self.faults)
        for name in NumberedName(self.file.name) {
            switch try step.move(self.file.name, from: source, as: name, to: target) {
            case .nameTaken: continue
            case .gone: return nil
            case .moved: return name
            }
        }
        throw SystemFailure(code: EEXIST)
    }

    // MARK: Deleting

    private func delete(from source: borrowing FolderDescriptor) throws(SystemFailure) -> WatchEvent.Place {
        let companions = try CompanionsAside(of: self.file, in: source, faults: self.faults)
        let isDeleted: Bool
        do throws(SystemFailure) {
            isDeleted = try self.deleteImage(from: source)
        } catch {
            companions.giveBack(in: source)
            throw error
        }
        guard isDeleted else {
            companions.giveBack(in: source)
            return .gone
        }
        try companions.delete(in: source)
        try source.sync()
        return .deleted
    }

    /// Deletes the image under a name that nobody else will give a file; `false` if it was replaced or taken away.
    private func deleteImage(from source: borrowing FolderDescriptor) throws(SystemFailure) -> Bool {
        let name = self.file.name
        guard let passing = try self.passingName(from: source) else { return false }
        self.faults.beforeStep()
        guard unlinkat(source.number, passing, 0) != 0 else { return true }
        let failure = SystemFailure.current
        if failure.isAbsence { return false }
        if passing != name {
            // Fallback where that fails, too: the next start gives it its name back.
            _ = try? ExclusiveRename(faults: self.faults).rename(passing, in: source, to: name, in: source)
        }
        throw failure
    }

    private func passingName(from source: borrowing FolderDescriptor) throws(SystemFailure) -> String? {
        let names = PassingName(self.file.name, .image, PassingName.Mark(self.file.shape)).texts
        // A name too long for this is deleted as it is: nobody can rename it in so short a time by accident.
        guard !names.isEmpty else { return self.file.name }
        let step = FileMove(shape: self.file.shape, faults: self.faults)
        for name in names {
            switch try step.move(self.file.name, from: source, as: name, to: source) {
            case .moved: return name
            case .gone: return nil
            case .nameTaken: continue
            }
        }
        throw SystemFailure(code: EEXIST)
    }

    /// Gives an image back its own name, if the process was killed while it was deleting it.
    ///
    /// - Returns: the name that the file has now; `nil` if this is no such file.
    static func recover(_ name: String, in folder: borrowing FolderDescriptor) -> String? {
        guard let passing = PassingName(name), passing.role == .image else { return nil }
        for own in NumberedName(passing.own) {
            // What cannot be renamed now is met again at the next start.
            switch try? ExclusiveRename().rename(name, in: folder, to: own, in: folder) {
            case .renamed: return own
            case .nameTaken: continue
            case .linked, .absent, .otherFileSystem, nil: return nil
            }
        }
        return nil
    }
}

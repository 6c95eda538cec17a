import CFolders
import Glibc

/// Puts a source file away, once what it says is durable elsewhere.
///
/// Only the very file that was taken is touched: it is renamed first, which replaces nothing, and looked at under its
/// new name; if another one had taken its place meanwhile, that one is put back. Blocks.
struct SourceDisposal {
    /// What a file is put away as.
    enum Ending: Hashable, Sendable {
        case done
        case failed(FailureNote)
        /// Where a refused file is that it belongs to.
        case besideFailed
        case deleted
    }

    /// The prefix and suffix of a name that a file bears for the moment between being renamed and being deleted.
    static let passing = (prefix: ".", suffix: ".idcard-taken")

    let file: TakenFile

    /// Puts the file away; durable when this returns.
    func put(as ending: Ending) throws(SystemFailure) -> WatchEvent.Place {
        let source: FolderDescriptor
        do {
            source = try FolderDescriptor(unlinked: self.file.root.path).below(self.file.folders)
        } catch {
            if error.isAbsence { return .gone }
            throw error
        }
        guard try source.shape(of: self.file.name) == self.file.shape else { return .gone }
        switch ending {
        case .deleted: return try self.delete(from: source)
        case .done: return try self.move(from: source, into: self.file.root.donePath) ? .done : .gone
        case .besideFailed: return try self.move(from: source, into: self.file.root.failedPath) ? .failed : .gone
        case .failed(let note): return try self.fail(note, from: source)
        }
    }

    // MARK: Moving

    private func fail(_ note: FailureNote, from source: borrowing FolderDescriptor) throws(SystemFailure)
        -> WatchEvent.Place
    {
        let target = try FolderDescriptor.making(self.file.root.failedPath).below(self.file.folders, making: true)
        for name in NumberedName(self.file.name, leavingRoomFor: FailureNote.addedBytes) {
            // The note is there first: a file without one would be a riddle, a note without a file is overwritten.
            guard try !target.has(name) else { continue }
            try note.write(as: name + FailureNote.suffix, in: target)
            let only = CollectionOfOne(name).makeIterator()
            guard try self.move(from: source, to: target, names: IteratorSequence(only)) == nil else { return .failed }
            guard unlinkat(target.number, name + FailureNote.suffix, 0) == 0 else { throw SystemFailure.current }
            guard try source.shape(of: self.file.name) == self.file.shape else { return .gone }
        }
        throw SystemFailure(code: EEXIST)
    }

    private func move(from source: borrowing FolderDescriptor, into place: String) throws(SystemFailure) -> Bool {
        let target = try FolderDescriptor.making(place).below(self.file.folders, making: true)
        return try self.move(from: source, to: target, names: NumberedName(self.file.name)) != nil
    }

    /// Moves the file and what goes with it under the first name that is free.
    ///
    /// - Returns: the name; `nil` if none is free, or the file was replaced or taken away.
    private func move(
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor,
        names: some Sequence<String>
    ) throws(SystemFailure) -> String? {
        let step = FileMove(shape: self.file.shape)
        for name in names {
            switch try step.move(self.file.name, from: source, as: name, to: target) {
            case .nameTaken: continue
            case .gone: return nil
            case .moved:
                try self.moveCompanions(of: name, from: source, to: target)
                try target.sync()
                try source.sync()
                return name
            }
        }
        return nil
    }

    private func moveCompanions(
        of name: String,
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) {
        for companion in self.file.companions {
            let step = FileMove(shape: companion.shape)
            for newName in NumberedName(name + companion.suffix) {
                let outcome = try step.move(self.file.name + companion.suffix, from: source, as: newName, to: target)
                if outcome != .nameTaken { break }
            }
        }
    }

    // MARK: Deleting

    private func delete(from source: borrowing FolderDescriptor) throws(SystemFailure) -> WatchEvent.Place {
        guard try self.delete(self.file.name, self.file.shape, from: source) else { return .gone }
        for companion in self.file.companions {
            _ = try self.delete(self.file.name + companion.suffix, companion.shape, from: source)
        }
        try source.sync()
        return .deleted
    }

    private func delete(
        _ name: String,
        _ shape: FileShape,
        from source: borrowing FolderDescriptor
    ) throws(SystemFailure) -> Bool {
        guard try source.shape(of: name) == shape else { return false }
        let passing = Self.passing.prefix + name + Self.passing.suffix
        // A name too long for this is deleted as it is: nobody can rename it in so short a time by accident.
        let temporary = passing.utf8.count <= NumberedName.longest ? passing : name
        if temporary != name {
            switch try FileMove(shape: shape).move(name, from: source, as: temporary, to: source) {
            case .moved: break
            case .nameTaken, .gone: return false
            }
        }
        guard unlinkat(source.number, temporary, 0) == 0 else {
            let failure = SystemFailure.current
            if failure.isAbsence { return false }
            throw failure
        }
        return true
    }

    /// Gives a file back its own name, if the process was killed while it was deleting it.
    ///
    /// - Returns: the name that the file has now; `nil` if this is no such file.
    static func recover(_ name: String, in folder: borrowing FolderDescriptor) -> String? {
        guard name.utf8.starts(with: self.passing.prefix.utf8),
            let rest = PathText.name(name, without: self.passing.suffix), rest.utf8.count > 1
        else { return nil }
        for own in NumberedName(String(decoding: rest.utf8.dropFirst(), as: UTF8.self)) {
            if idc_rename_new(folder.number, name, folder.number, own) == 0 { return own }
            guard errno == EEXIST else { return nil }
        }
        return nil
    }
}

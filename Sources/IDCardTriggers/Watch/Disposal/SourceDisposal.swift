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
        guard let aside = try self.imageAside(in: source, with: companions) else { return .gone }
        let name: String?
        do throws(SystemFailure) {
            switch ending {
            case .failed(let note): name = try self.fail(note, aside, from: source, to: target)
            case .done, .besideFailed, .deleted: name = try self.move(aside, from: source, to: target)
            }
        } catch {
            self.giveBack(aside, in: source)
            companions.giveBack(in: source)
            throw error
        }
        // Also one that was copied and has changed meanwhile.
        self.giveBack(aside, in: source)
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

    /// Moves the file under a name that is free, with a note beside it.
    ///
    /// - Returns: the name; `nil` if the file was replaced or taken away.
    private func fail(
        _ note: FailureNote,
        _ aside: String,
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> String? {
        let step = FileMove(shape: self.file.shape, faults: self.faults)
        let names = NumberedName(self.file.name, leavingRoomFor: FailureNote.addedBytes)
        var number = try target.has(names[1]) ? try names.free(above: 1, in: target) : 1
        while true {
            // The note is there first: a file without one would be a riddle, a note without a file is overwritten.
            let name = names[number]
            try note.write(as: name + FailureNote.suffix, of: self.file.shape, in: target)
            let outcome = try step.move(aside, from: source, as: name, to: target)
            if outcome == .moved { return name }
            guard unlinkat(target.number, name + FailureNote.suffix, 0) == 0 else { throw SystemFailure.current }
            if outcome == .gone { return nil }
            number = try names.free(above: number, in: target)
        }
    }

    /// Moves the file under a name that is free.
    ///
    /// - Returns: the name; `nil` if the file was replaced or taken away.
    private func move(
        _ aside: String,
        from source: borrowing FolderDescriptor,
        to target: borrowing FolderDescriptor
    ) throws(SystemFailure) -> String? {
        let step = FileMove(shape: self.file.shape, faults: self.faults)
        let names = NumberedName(self.file.name)
        var number = 1
        while true {
            switch try step.move(aside, from: source, as: names[number], to: target) {
            case .nameTaken: number = try names.free(above: number, in: target)
            case .gone: return nil
            case .moved: return names[number]
            }
        }
    }

    // MARK: Deleting

    private func delete(from source: borrowing FolderDescriptor) throws(SystemFailure) -> WatchEvent.Place {
        let companions = try CompanionsAside(of: self.file, in: source, faults: self.faults)
        guard let aside = try self.imageAside(in: source, with: companions) else { return .gone }
        let isDeleted: Bool
        do throws(SystemFailure) {
            isDeleted = try FileRemoval(shape: self.file.shape, faults: self.faults).remove(aside, from: source)
        } catch {
            self.giveBack(aside, in: source)
            companions.giveBack(in: source)
            throw error
        }
        guard isDeleted else {
            self.giveBack(aside, in: source)
            companions.giveBack(in: source)
            return .gone
        }
        try companions.delete(in: source)
        try source.sync()
        return .deleted
    }

    // MARK: Out of the way

    /// Gives the image a name that nobody else uses, under which it is the one that was taken.
    ///
    /// - Returns: `nil` if it was replaced or taken away; what goes with it then has its names again.
    private func imageAside(
        in source: borrowing FolderDescriptor,
        with companions: CompanionsAside
    ) throws(SystemFailure) -> String? {
        do throws(SystemFailure) {
            if let aside = try self.passingName(in: source) { return aside }
        } catch {
            companions.giveBack(in: source)
            throw error
        }
        companions.giveBack(in: source)
        return nil
    }

    private func passingName(in source: borrowing FolderDescriptor) throws(SystemFailure) -> String? {
        let names = PassingName(self.file.name, .image, PassingName.Mark(self.file.shape)).texts
        // A name too long for another one stays: such a file is moved as it is, and renamed in the moment it is deleted.
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

    /// Gives the image its own name back, if it still has the other one.
    private func giveBack(_ aside: String, in source: borrowing FolderDescriptor) {
        guard aside != self.file.name, (try? source.has(aside)) == true else { return }
        // Where its name is taken, or cannot be had, a later scan gives it back.
        _ = try? ExclusiveRename(faults: self.faults).rename(aside, in: source, to: self.file.name, in: source)
    }

    /// Gives an image its own name back that a killed process, or one that found that name taken, left under another.
    ///
    /// - Returns: the name that the file has now; `nil` if this is no such file, or its own name is taken: under
    ///   another one it might be taken for somebody else's.
    static func recover(_ name: String, in folder: borrowing FolderDescriptor) -> String? {
        guard let passing = PassingName(name), passing.role != .companion else { return nil }
        let names = NumberedName(passing.own)
        var number = 1
        while true {
            // What cannot be renamed now is met again by the next scan.
            switch try? ExclusiveRename().rename(name, in: folder, to: names[number], in: folder) {
            case .renamed: return names[number]
            case .nameTaken where passing.mark == nil:
                // Left by a former version.
                guard let free = try? names.free(above: number, in: folder) else { return nil }
                number = free
            case .nameTaken: return self.keepsOwnName(name, passing.own, in: folder) ? passing.own : nil
            case .linked, .absent, .otherFileSystem, nil: return nil
            }
        }
    }

    /// Takes the passing name away from a file that still has its own: a process was killed that moved by second names.
    ///
    /// - Returns: whether it has its own.
    private static func keepsOwnName(_ name: String, _ own: String, in folder: borrowing FolderDescriptor) -> Bool {
        guard let shape = try? folder.shape(of: name), shape.names > 1, (try? folder.shape(of: own)) == shape else {
            return false
        }
        return (try? FileRemoval(shape: shape).remove(name, from: folder)) == true
    }
}

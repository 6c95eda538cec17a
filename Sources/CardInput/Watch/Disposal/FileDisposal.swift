import CardModel
import Glibc
import SystemPackage

/// Archives or deletes a file of a watched folder and its companions, once their content is durable elsewhere.
///
/// The file first gets a transit name in its own folder, which says where it goes and with which companions. Then the companions
/// are moved, then the file. What a killed process has left, the sweep of any other one finishes by that name.
struct FileDisposal: Sendable {
    /// The archive folders directly below a watched one.
    static let folders = ["done", "failed"]

    private let folder: PhotoFolder
    private let file: FileIdentity
    private let transit: TransitName
    /// The companions beside the file.
    private let companions: [FileObservation.Companion]

    /// Archives or deletes a file.
    ///
    /// - Parameters:
    ///   - observation: the file as it was observed.
    ///   - newName: the new name of the file, if not its own.
    ///   - note: why it is refused; for `failed`.
    /// - Returns: the new location; `nil` if the file or a companion has changed.
    /// - Throws: `Errno` or `CodedError` if it cannot be moved: it is still there, or has its transit name, for another try.
    static func put(
        _ observation: FileObservation,
        in folder: PhotoFolder,
        as disposition: WatchEvent.Disposition,
        newName: String? = nil,
        note: FailureNote? = nil
    ) throws -> WatchEvent.Disposition? {
        let source = try folder.open()
        guard try folder.observation(of: observation.name, in: source, observation.sidecars) == observation
        else { return nil }
        let file = observation.identity
        let name = folder.names(for: newName ?? observation.name)[1]
        let isFinal = disposition == .deleted
        let number = try isFinal ? 1 : folder.number(for: name, of: file, from: source, to: disposition.rawValue)
        let transit = TransitName(
            file,
            with: observation.companions.map(\.identity),
            as: name,
            number: number,
            disposition
        )
        let disposal = FileDisposal(folder: folder, file: file, transit: transit, companions: observation.companions)
        // First, so that no sweep finishes a refusal without its note.
        try note?.write(as: disposal.newName + FailureNote.suffix, in: folder.open(in: "failed"))
        let isDone =
            try FileMove(identity: file).hide(observation.name, as: transit, in: source)
            && disposal.finish(in: source)
        if !isDone, note != nil { try folder.open(in: "failed").unlink(disposal.newName + FailureNote.suffix) }
        return isDone ? disposition : nil
    }

    private var newName: String { self.folder.names(for: self.transit.name)[self.transit.number] }

    /// Moves a photo with companions and a note from `done` to the same position in `failed`; repeats an interrupted move.
    static func fail(
        _ name: String,
        of file: FileIdentity,
        from done: borrowing OpenFolder,
        in folder: PhotoFolder,
        _ note: FailureNote
    ) throws {
        let failed = try folder.archive("failed", from: done)
        let names = folder.names(for: name)
        let newName = names[try names.free(above: 0) { name throws(Errno) in try failed.status(of: name) != nil }]
        try note.write(as: newName + FailureNote.suffix, in: failed)
        for suffix in folder.suffixes {
            guard let status = try done.status(of: name + suffix), status.kind == .file else { continue }
            let companion = FileMove(identity: folder.identity(name + suffix, status, in: "done"))
            _ = try companion.move(name + suffix, from: done, as: newName + suffix, to: failed)
        }
        _ = try FileMove(identity: file).move(name, from: done, as: newName, to: failed)
    }

    // MARK: Finishing

    /// Finishes in a folder what killed processes have begun.
    ///
    /// - Parameter time: names given later may be those of a living process, and stay; `nil` for none.
    /// - Returns: whether all is finished.
    static func sweep(_ folder: PhotoFolder, before time: Timestamp?) throws -> Bool {
        let source = try folder.open()
        let files = try source.names().compactMap { name in
            try source.status(of: name.text).flatMap { $0.kind == .file ? (name: name.text, status: $0) : nil }
        }
        var isFinished = true
        for (name, status) in files {
            guard let transit = TransitName(name) else { continue }
            guard time.map({ Timestamp(ofFile: status.st_ctim) < $0 }) ?? true else {
                isFinished = false
                continue
            }
            let companions = files.compactMap { folder.companion($0, of: transit) }
            let file = folder.identity(name, status)
            let disposal = FileDisposal(folder: folder, file: file, transit: transit, companions: companions)
            // The next sweep tries again.
            do { _ = try disposal.finish(in: source) } catch { isFinished = false }
        }
        return isFinished
    }

    /// Moves or deletes the companions, then the file.
    ///
    /// - Returns: `false` if the file has changed, or another one has got its name in the archive: it has its own name again.
    private func finish(in source: borrowing OpenFolder) throws -> Bool {
        // Another file that replaced the intended one was never read.
        guard TransitName.mark(of: self.file) == self.transit.marks.first else {
            try self.restore(to: source)
            return false
        }
        guard self.transit.disposition != .deleted else {
            do {
                for companion in self.companions {
                    _ = try FileMove(identity: companion.identity).remove(companion.name, from: source)
                }
                try source.unlink(self.transit.text)
                return true
            } catch {
                // A photo that cannot be deleted is not hidden from its users.
                try self.restore(to: source)
                throw error
            }
        }
        let target = try self.folder.archive(self.transit.disposition.rawValue, from: source)
        var moves = self.companions.map { ($0.identity, $0.name, self.newName + $0.suffix) }
        moves.append((self.file, self.transit.text, self.newName))
        var outcome = FileMove.Outcome.moved
        for (file, name, newName) in moves where outcome != .nameTaken {
            outcome = try FileMove(identity: file).move(name, from: source, as: newName, to: target)
        }
        // A file that is gone was moved by another process, by its transit name.
        if try outcome == .moved || source.status(of: self.transit.text) == nil { return true }
        try self.restore(to: source)
        return false
    }

    /// Gives the file its name back, or the next one that is free, with its companions.
    private func restore(to source: borrowing OpenFolder) throws(Errno) {
        let names = NumberedName(self.transit.name, leavingRoomFor: 0)
        let name = names[try names.free(above: 0) { name throws(Errno) in try source.status(of: name) != nil }]
        for companion in self.companions where name != self.transit.name {
            let move = FileMove(identity: companion.identity)
            _ = try move.move(companion.name, from: source, as: name + companion.suffix, to: source)
        }
        // An archive that cannot be opened has none of them.
        if self.transit.marks.count > 1, let archive = try? self.folder.open(in: self.transit.disposition.rawValue) {
            for suffix in self.folder.suffixes {
                let archived = self.newName + suffix
                guard let status = try archive.status(of: archived),
                    let companion = self.folder.companion((archived, status), of: self.transit)
                else { continue }
                let move = FileMove(identity: companion.identity)
                _ = try move.move(archived, from: archive, as: name + suffix, to: source)
            }
        }
        try FileMove(identity: self.file).restoreName(self.transit.text, from: source, as: name, to: source)
    }
}

extension PhotoFolder {
    /// Returns the companion that a file is of another one with a transit name; `nil` if it is none.
    fileprivate func companion(_ found: (name: String, status: stat), of transit: TransitName)
        -> FileObservation.Companion?
    {
        let identity = self.identity(found.name, found.status)
        guard transit.marks.dropFirst().contains(TransitName.mark(of: identity)) else { return nil }
        let suffix = self.suffixes.first { found.name.lowercased().hasSuffix($0.lowercased()) } ?? Sidecar.suffix
        return FileObservation.Companion(suffix: suffix, name: found.name, identity: identity)
    }

    /// Returns which numbered name of a file neither another file nor a companion of one has in an archive.
    fileprivate func number(
        for name: String,
        of file: FileIdentity,
        from source: borrowing OpenFolder,
        to top: String
    ) throws(Errno) -> Int {
        let archive = try self.archive(top, from: source)
        // The note of a photo that was removed from `done` does not apply to this one.
        let notes = top == "done" ? [FailureNote.suffix, FailureNote.textSuffix] : []
        return try self.names(for: name).free(above: 0) { name throws(Errno) in
            // A second name of this file gives way.
            let isOwn = try archive.holds(file, as: name)
            for suffix in isOwn ? self.suffixes : [""] + self.suffixes + notes
            where try archive.status(of: name + suffix) != nil { return true }
            return false
        }
    }
}

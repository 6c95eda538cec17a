import CardModel
import Glibc
import SystemPackage

/// Puts a file of a watched folder away, with what goes with it, once what it says is durable elsewhere.
///
/// What goes with it is moved first, then the file itself. A process that is killed in between finds the file again,
/// and what went ahead under the very name that the file was to have (`FileObservation`): it still speaks for that file, and for
/// no newer one of its name.
struct FileDisposal: Sendable {
    /// The folders directly below a watched one into which files are put.
    static let folders = ["done", "failed"]

    enum Ending: Hashable, Sendable {
        case done
        case failed(FailureNote)
        case deleted
    }

    let folder: PhotoFolder
    /// The file as it was when it was looked at.
    let observation: FileObservation
    /// The name that it is to have, if not its own.
    var newName: String?

    private var name: String { self.observation.name }

    /// How many bytes are left after a name: for a note and the file that it is written to first, or a done-marker.
    static func room(_ suffixes: [String]) -> Int {
        max(FailureNote.suffix.utf8.count + ".part".utf8.count, suffixes.map(\.utf8.count).max() ?? 0)
    }

    /// Puts the file away.
    ///
    /// - Returns: where it is; `nil` if it, or what goes with it, is not what it was.
    /// - Throws: `Errno` or `CodedError` if it cannot be moved; it is still there, to be put away later.
    func put(as ending: Ending) throws -> WatchEvent.Place? {
        let source = try self.folder.open()
        guard try self.folder.observation(of: self.name, in: source, self.observation.sidecars) == self.observation
        else { return nil }
        guard ending != .deleted else { return try self.delete(from: source) ? .deleted : nil }
        let place: WatchEvent.Place = ending == .done ? .done : .failed
        let target = try Self.target(place.rawValue, in: self.folder.root).entering(self.folder.below, making: true)
        var members = self.observation.companions
        return try self.move(&members, from: source, to: place.rawValue, target, ending) ? place : nil
    }

    /// Deletes the file where it is, with what goes with it; `false` if it is not what it was.
    private func delete(from source: borrowing OpenFolder) throws(Errno) -> Bool {
        let beside = self.observation.companions.filter { $0.folder == nil }.map {
            (name: $0.name, identity: $0.identity)
        }
        let isDeleted = try FileMove(identity: self.observation.identity).remove(self.name, from: source, with: beside)
        guard isDeleted else { return false }
        // What went ahead of it when `watch.after` was another.
        for member in self.observation.companions {
            guard let ahead = member.folder else { continue }
            _ = try FileMove(identity: member.identity).remove(member.name, from: self.folder.open(in: ahead))
        }
        return true
    }

    /// Moves a photo on from `done` to the same place in `failed`, with what goes with it and a note; what is cut off is done
    /// again.
    static func fail(
        _ name: String,
        of file: FileIdentity,
        from done: borrowing OpenFolder,
        in folder: PhotoFolder,
        _ note: FailureNote
    ) throws {
        let failed = try Self.target("failed", in: folder.root).entering(folder.below, making: true)
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

    /// Opens a folder to put files into; makes it, and the mark by which runs pass it over.
    private static func target(_ folder: String, in root: FilePath) throws(Errno) -> OpenFolder {
        let target = try OpenFolder(root).entering([folder], making: true)
        // Without the mark the names of these folders still tell: putting the file away matters more.
        _ = mkdirat(target.descriptor, IgnoredNames.putAwayMark, 0o755)
        return target
    }

    /// - Returns: `false` if the file was replaced or taken away.
    private func move(
        _ members: inout [FileObservation.Companion],
        from source: borrowing OpenFolder,
        to folder: String,
        _ target: borrowing OpenFolder,
        _ ending: Ending
    ) throws -> Bool {
        let names = self.folder.names(for: self.newName ?? self.name)
        var number = 1
        while true {
            let name = names[number]
            if try self.isFree(name, folder, target, members), try self.move(&members, to: folder, name, target) {
                if case .failed(let note) = ending { try note.write(as: name + FailureNote.suffix, in: target) }
                switch try FileMove(identity: self.observation.identity).move(
                    self.name,
                    from: source,
                    as: name,
                    to: target
                ) {
                case .moved: return true
                case .gone:
                    try self.takeBack(members, to: source, from: target, name)
                    return false
                case .nameTaken: unlinkat(target.descriptor, name + FailureNote.suffix, 0)
                }
            }
            number = try names.free(above: number) { name throws(Errno) in
                try !self.isFree(name, folder, target, members)
            }
        }
    }

    /// Whether neither a file nor what goes with one has a name; what went ahead of this very file does not count.
    private func isFree(
        _ name: String,
        _ folder: String,
        _ target: borrowing OpenFolder,
        _ members: [FileObservation.Companion]
    ) throws(Errno) -> Bool {
        // A second name of this very file is that of a move which was cut short.
        let isThere = try target.status(of: name) != nil
        if isThere, try !target.holds(self.observation.identity, as: name) { return false }
        // The note of a photo that was removed from there says nothing of this one.
        let notes = folder == "done" && !isThere ? [FailureNote.suffix, FailureNote.textSuffix] : []
        let ahead = Set(members.filter { $0.folder == folder && $0.base == name }.map(\.suffix))
        for suffix in self.folder.suffixes + notes where !ahead.contains(suffix) {
            if try target.status(of: name + suffix) != nil { return false }
        }
        return true
    }

    /// Moves what goes with the file under a name.
    ///
    /// - Returns: `false` if part of that name has been taken meanwhile.
    private func move(
        _ members: inout [FileObservation.Companion],
        to folder: String,
        _ name: String,
        _ target: borrowing OpenFolder
    ) throws(Errno) -> Bool {
        for index in members.indices where members[index].folder != folder || members[index].base != name {
            let member = members[index]
            let source = try self.folder.open(in: member.folder)
            let mover = FileMove(identity: member.identity)
            let outcome = try mover.move(member.name, from: source, as: name + member.suffix, to: target)
            if outcome == .nameTaken { return false }
            guard outcome == .moved else { continue }
            (members[index].folder, members[index].base, members[index].name) = (folder, name, name + member.suffix)
        }
        return true
    }

    /// Gives what went ahead of a file its place again, since another file has come, which finds what was there before.
    private func takeBack(
        _ members: [FileObservation.Companion],
        to source: borrowing OpenFolder,
        from target: borrowing OpenFolder,
        _ name: String
    ) throws(Errno) {
        unlinkat(target.descriptor, name + FailureNote.suffix, 0)
        for member in members where member.folder != nil {
            // Where a newer one has its name, it stays.
            _ = try FileMove(identity: member.identity)
                .move(name + member.suffix, from: target, as: self.name + member.suffix, to: source)
        }
    }
}

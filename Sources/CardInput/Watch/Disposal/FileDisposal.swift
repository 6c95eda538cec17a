import CardModel
import Glibc
import SystemPackage

/// Archives or deletes a file of a watched folder and its companions, once their content is durable elsewhere.
///
/// Companions are moved first, then the file itself. If a process is killed in between, the next one finds the file again, and
/// the companions under the exact name intended for it (`FileObservation`): they belong to that file, not to a newer one.
struct FileDisposal: Sendable {
    /// The archive folders directly below a watched one.
    static let folders = ["done", "failed"]

    enum Ending: Hashable, Sendable {
        case done
        case failed(FailureNote)
        case deleted
    }

    let folder: PhotoFolder
    let observation: FileObservation
    /// The new name of the file, if not its own.
    var newName: String?

    private var name: String { self.observation.name }

    /// Returns the bytes to reserve after a name: for a note and its temporary file, or a done-marker.
    static func room(_ suffixes: [String]) -> Int {
        max(FailureNote.suffix.utf8.count + ".part".utf8.count, suffixes.map(\.utf8.count).max() ?? 0)
    }

    /// Archives or deletes the file.
    ///
    /// - Returns: the new location; `nil` if the file or a companion has changed.
    /// - Throws: `Errno` or `CodedError` if the file cannot be moved; it is still in its folder, so another try is possible.
    func archive(as ending: Ending) throws -> WatchEvent.Disposition? {
        let source = try self.folder.open()
        guard try self.folder.observation(of: self.name, in: source, self.observation.sidecars) == self.observation
        else { return nil }
        guard ending != .deleted else { return try self.delete(from: source) ? .deleted : nil }
        let outcome: WatchEvent.Disposition = ending == .done ? .done : .failed
        let target = try Self.target(outcome.rawValue, in: self.folder.root).entering(self.folder.below, making: true)
        var members = self.observation.companions
        return try self.move(&members, from: source, to: outcome.rawValue, target, ending) ? outcome : nil
    }

    /// Deletes the file and its companions; `false` if it has changed.
    private func delete(from source: borrowing OpenFolder) throws(Errno) -> Bool {
        let beside = self.observation.companions.filter { $0.folder == nil }
        let isDeleted = try FileMove(identity: self.observation.identity).remove(self.name, from: source, with: beside)
        guard isDeleted else { return false }
        // Also companions that were moved ahead of the file while `watch.after` had another value.
        for member in self.observation.companions {
            guard let ahead = member.folder else { continue }
            _ = try FileMove(identity: member.identity).remove(member.name, from: self.folder.open(in: ahead))
        }
        return true
    }

    /// Moves a photo with companions and a note from `done` to the same position in `failed`; repeats an interrupted move.
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

    /// Opens an archive folder; creates it, and the mark by which runs skip it.
    private static func target(_ folder: String, in root: FilePath) throws(Errno) -> OpenFolder {
        let target = try OpenFolder(root).entering([folder], making: true)
        // Ignore an error: without the mark the folder names still identify the archive, and archiving matters more.
        _ = mkdirat(target.descriptor, IgnoredNames.archiveMark, 0o755)
        return target
    }

    /// Moves the companions and the file to the first free name; tries further names while another process takes them.
    ///
    /// - Returns: `false` if the file was replaced or removed.
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
                if case .failed(let refusal) = ending { try refusal.write(as: name + FailureNote.suffix, in: target) }
                switch try FileMove(identity: self.observation.identity).move(
                    self.name,
                    from: source,
                    as: name,
                    to: target
                ) {
                case .moved: return true
                case .gone:
                    try self.restoreCompanions(members, to: source, from: target, name)
                    return false
                case .nameTaken: unlinkat(target.descriptor, name + FailureNote.suffix, 0)
                }
            }
            number = try names.free(above: number) { name throws(Errno) in
                try !self.isFree(name, folder, target, members)
            }
        }
    }

    /// Whether neither a file nor a companion has a name; companions moved ahead of this file do not count.
    private func isFree(
        _ name: String,
        _ folder: String,
        _ target: borrowing OpenFolder,
        _ members: [FileObservation.Companion]
    ) throws(Errno) -> Bool {
        // The file itself may have the name already, from a move that was cut short.
        let isThere = try target.status(of: name) != nil
        if isThere, try !target.holds(self.observation.identity, as: name) { return false }
        // A note that is left of an earlier photo must not seem to be about this one.
        let notes = folder == "done" && !isThere ? [FailureNote.suffix, FailureNote.textSuffix] : []
        let ahead = Set(members.filter { $0.folder == folder && $0.base == name }.map(\.suffix))
        for suffix in self.folder.suffixes + notes where !ahead.contains(suffix) {
            if try target.status(of: name + suffix) != nil { return false }
        }
        return true
    }

    /// Moves the companions to a name.
    ///
    /// - Returns: `false` if another file has got one of the names meanwhile.
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

    /// Moves companions back, because their photo was replaced or removed; a new photo of the name finds them as before.
    private func restoreCompanions(
        _ members: [FileObservation.Companion],
        to source: borrowing OpenFolder,
        from target: borrowing OpenFolder,
        _ name: String
    ) throws(Errno) {
        unlinkat(target.descriptor, name + FailureNote.suffix, 0)
        for member in members where member.folder != nil {
            // If a newer file has the name, the companion stays.
            _ = try FileMove(identity: member.identity)
                .move(name + member.suffix, from: target, as: self.name + member.suffix, to: source)
        }
    }
}

import CardModel
import Glibc
import SystemPackage

/// An observation of a file of a watched folder and its companions, without their content.
struct FileObservation: Hashable, Sendable {
    /// A sidecar or done-marker.
    struct Companion: Hashable, Sendable {
        var suffix: String
        var name: String
        var identity: FileIdentity
    }

    var name: String
    var identity: FileIdentity
    /// The companions, in the order of the suffixes.
    var companions: [Companion] = []
    /// The names beside the file that are its sidecar, or look like it.
    var sidecars = SidecarNames.Match()

    var sidecar: Companion? { self.companions.first { $0.suffix == Sidecar.suffix } }
}

/// The folder of a watched file, and the corresponding folders in `done` and `failed`.
struct PhotoFolder: Sendable {
    /// The real path of the watched folder.
    let root: FilePath
    /// The folders between the watched one and the file.
    let below: [String]
    /// The suffixes of companions.
    let suffixes: [String]

    /// Opens the folder, or the corresponding one in one of `FileDisposal.folders`.
    func open(in top: String? = nil) throws(Errno) -> OpenFolder {
        try OpenFolder(self.root).entering((top.map { [$0] } ?? []) + self.below)
    }

    func identity(_ name: String, _ status: stat, in top: String? = nil) -> FileIdentity {
        let path = [self.root.text] + (top.map { [$0] } ?? []) + self.below + [name]
        return FileIdentity(path: path.joined(separator: "/"), status)
    }

    /// Opens the corresponding archive folder; creates it, and the mark by which runs skip it.
    ///
    /// - Throws: `Errno` if no file of this folder can be moved there.
    func archive(_ top: String, from folder: borrowing OpenFolder) throws(Errno) -> OpenFolder {
        let archive = try OpenFolder(self.root).entering([top], making: true)
        // Ignore an error: without the mark the folder names still identify the archive, and archiving matters more.
        _ = mkdirat(archive.descriptor, IgnoredNames.archiveMark, 0o755)
        let target = try archive.entering(self.below, making: true)
        if target.isMountedApart(from: folder) { throw .improperLink }
        guard faccessat(target.descriptor, ".", W_OK, AT_EACCESS) == 0 else { throw .last }
        return target
    }

    /// Returns the names that a file may get in these folders.
    func names(for name: String) -> NumberedName { Self.names(for: name, companions: self.suffixes) }

    /// Returns the names that leave room for companions, a note with its temporary file, and a transit name.
    static func names(for name: String, companions suffixes: [String]) -> NumberedName {
        let room = [FailureNote.suffix + ".part"] + suffixes
        let longest = room.map(\.utf8.count).max() ?? 0
        return NumberedName(name, leavingRoomFor: max(longest, TransitName.room(companions: suffixes.count)))
    }

    /// Observes a file in the opened folder, with its companions; `nil` if there is no such file.
    func observation(of name: String, in folder: borrowing OpenFolder, _ sidecars: SidecarNames.Match) throws(Errno)
        -> FileObservation?
    {
        guard let status = try folder.status(of: name), status.kind == .file else { return nil }
        var observation = FileObservation(name: name, identity: self.identity(name, status), sidecars: sidecars)
        for suffix in self.suffixes {
            let own = suffix == Sidecar.suffix ? sidecars.names.first ?? name + suffix : name + suffix
            guard let found = try folder.status(of: own), found.kind == .file else { continue }
            observation.companions.append(.init(suffix: suffix, name: own, identity: self.identity(own, found)))
        }
        return observation
    }
}

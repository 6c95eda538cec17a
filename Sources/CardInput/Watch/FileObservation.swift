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
        /// `done` or `failed` if a killed process had moved it there ahead of its file; else `nil`.
        var folder: String?
        /// The name of its file in that folder.
        var base: String
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

    func names(for name: String) -> NumberedName {
        NumberedName(name, leavingRoomFor: FileDisposal.room(self.suffixes))
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
            let identity = self.identity(own, found)
            observation.companions.append(.init(suffix: suffix, name: own, identity: identity, folder: nil, base: name))
        }
        let missing = self.suffixes.filter { suffix in !observation.companions.contains { $0.suffix == suffix } }
        for top in FileDisposal.folders where !missing.isEmpty {
            // If the folder is missing or cannot be opened, no companion was moved ahead.
            guard let target = try? self.open(in: top) else { continue }
            let ahead = try self.ahead(of: name, status, missing, target)
            for (base, suffix, found) in ahead {
                let identity = self.identity(base + suffix, found, in: top)
                let name = base + suffix
                observation.companions.append(
                    .init(suffix: suffix, name: name, identity: identity, folder: top, base: base)
                )
            }
            if !ahead.isEmpty { break }
        }
        return observation
    }

    /// Returns the companions that were moved ahead of a file.
    ///
    /// They have the names intended for it. A rename changes the status of a file: so companions moved ahead have changed after
    /// the file did, and a newer file of the same name has changed after the companions.
    private func ahead(
        of name: String,
        _ file: stat,
        _ suffixes: [String],
        _ target: borrowing OpenFolder
    ) throws(Errno) -> [(base: String, suffix: String, stat)] {
        let names = self.names(for: name)
        var number = 1
        if try Self.isOther(names[1], in: target, than: file) {
            number = try names.free(above: 1) { name throws(Errno) in try Self.isOther(name, in: target, than: file) }
        }
        // Goes through the names until one has companions moved ahead, or has no companions at all.
        while true {
            // The file itself is there if its move was cut short before its first name was removed.
            let isMoved = try target.status(of: names[number]) != nil
            var hasCompanion = false
            var ahead: [(base: String, suffix: String, stat)] = []
            for suffix in suffixes {
                guard let found = try target.status(of: names[number] + suffix), found.kind == .file else { continue }
                hasCompanion = true
                // A sidecar that was refused alone has its own note.
                let isRefused = try target.status(of: names[number] + suffix + FailureNote.suffix) != nil
                if !isRefused, isMoved || !found.changedBefore(file) { ahead.append((names[number], suffix, found)) }
            }
            if !ahead.isEmpty || !hasCompanion { return ahead }
            repeat { number += 1 } while try Self.isOther(names[number], in: target, than: file)
        }
    }

    /// Whether a file other than the given one has a name.
    private static func isOther(_ name: String, in folder: borrowing OpenFolder, than file: stat) throws(Errno) -> Bool
    {
        try folder.status(of: name).map { !FileIdentity(path: "", $0).isSame(as: FileIdentity(path: "", file)) }
            ?? false
    }
}

extension stat {
    fileprivate func changedBefore(_ other: stat) -> Bool {
        (self.st_ctim.tv_sec, self.st_ctim.tv_nsec) < (other.st_ctim.tv_sec, other.st_ctim.tv_nsec)
    }
}

import CardModel
import SystemPackage

/// Observes the files of a watched folder and decides what to do with them. Blocks.
struct FileExaminer: Sendable {
    /// What to do with a complete file.
    enum Plan: Sendable {
        /// Examine the file again: it changed meanwhile.
        case changed
        /// Do nothing: the file is a companion of an existing file.
        case companion(of: ListedFile)
        case admit(Photo)
        /// Amend the card of a photo admitted before: the file is its late sidecar, `beside` its present name.
        case amend(Photo, beside: String)
        case refuse(CodedError)
        /// Leave the file where it is while it is unchanged, for this reason: it is not a photo, or not one of a case yet.
        case leave(CodedError)

        /// The number of the photo to hand over.
        var number: BusinessNumber? {
            switch self {
            case .admit(let item), .amend(let item, _): item.metadata.businessNumber
            default: nil
            }
        }
    }

    let options: WatchOptions
    /// The real path of the watched folder.
    let root: FilePath

    /// Observes a file; `nil` if it does not exist.
    ///
    /// - Parameter folders: the sidecars of the folders listed so far; a folder not yet listed is added.
    /// - Throws: `Errno` if it cannot be observed.
    func observation(of candidate: ListedFile, _ folders: inout [FilePath: SidecarNames]) throws(Errno)
        -> FileObservation?
    {
        let path = candidate.path.removingLastComponent()
        // Without the right to list the folder, only a sidecar of the exact name is found.
        let names = folders[path] ?? SidecarNames((try? OpenFolder(path).names()) ?? [])
        folders[path] = names
        return try self.observation(of: candidate, names.match(candidate.path.name))
    }

    private func observation(of candidate: ListedFile, _ sidecars: SidecarNames.Match) throws(Errno) -> FileObservation?
    {
        let folder = self.folder(of: candidate)
        do throws(Errno) {
            return try folder.observation(of: candidate.path.name, in: folder.open(), sidecars)
        } catch {
            // A link that replaced a folder is not followed.
            if error.isAbsence || error == .tooManySymbolicLinkLevels { return nil }
            throw error
        }
    }

    func folder(of candidate: ListedFile) -> PhotoFolder {
        PhotoFolder(root: self.root, below: candidate.below, suffixes: self.options.companionSuffixes)
    }

    /// Returns what to do with a file of this observation.
    func plan(for candidate: ListedFile, _ observation: FileObservation) -> Plan {
        let plan = self.read(candidate, observation)
        // The sidecar may have been written during the reading.
        return (try? self.observation(of: candidate, observation.sidecars)) == observation ? plan : .changed
    }

    /// Returns what to do with a file, if neither it nor a companion changes meanwhile.
    private func read(_ candidate: ListedFile, _ observation: FileObservation) -> Plan {
        for owner in self.options.owners(of: observation.name) {
            guard let image = self.neighbour(of: candidate, owner.image) else { continue }
            if let existing = self.existing(image, orOtherCase: owner.suffix == Sidecar.suffix) {
                return .companion(of: existing)
            }
            if owner.suffix != Sidecar.suffix { return Self.withoutPhoto }
            if ImageFormat.isName(owner.image) { return self.planForLateSidecar(of: image, candidate.path) }
        }
        do throws(CodedError) {
            let isNamed = ImageFormat.isName(observation.name)
            let reason = try isNamed ? nil : SourceFile.reasonNotAnImage(observation.identity)
            if let reason = reason ?? self.missingCompanion(observation) { return .leave(reason) }
        } catch {
            return error.code == .sourceChanged ? .changed : .leave(error)
        }
        do throws(CodedError) {
            return .admit(try self.item(candidate, observation.identity, sidecar: try self.sidecar(of: observation)))
        } catch {
            // By this rule a folder in the folder of a case has no number; the photo may be moved up.
            let isTooDeep = candidate.below.count > 1
            if isTooDeep, error.code == .businessNumberMissing, case .folder = self.options.inputs.businessNumberRule {
                return .leave(error)
            }
            return .refuse(error)
        }
    }

    /// Returns an existing file by its name; for a sidecar also one whose name differs only in case.
    private func existing(_ image: ListedFile, orOtherCase: Bool) -> ListedFile? {
        if (try? self.observation(of: image, SidecarNames.Match())) != nil { return image }
        guard orOtherCase, let names = try? OpenFolder(image.path.removingLastComponent()).names() else { return nil }
        let wanted = image.path.name.lowercased()
        let name = names.first { $0.text.lowercased() == wanted }
        return name.flatMap { self.neighbour(of: image, $0.text) }
    }

    /// Returns another file in the same folder.
    private func neighbour(of candidate: ListedFile, _ name: String) -> ListedFile? {
        guard let name = FilePath.Component(name) else { return nil }
        var neighbour = candidate
        neighbour.path = candidate.path.removingLastComponent().appending(name)
        neighbour.real = neighbour.path
        neighbour.source = FilePath(candidate.source).removingLastComponent().appending(name).text
        return neighbour
    }

    /// Returns the error of a missing companion; an image without it gets its turn only after a long wait (`WatchedFiles`).
    private func missingCompanion(_ observation: FileObservation) -> CodedError? {
        if self.options.lacksMarker(observation) {
            return CodedError(.doneMarkerMissing, .input, .watchWaitsForMarker)
        }
        guard self.options.sidecar == .required, observation.sidecar == nil, observation.sidecars.names.isEmpty,
            observation.sidecars.strays.isEmpty
        else { return nil }
        return CodedError(.sidecarMissing, .input, .watchWaitsForSidecar)
    }

    /// Returns the location of a photo's sidecar: a sidecar that was moved ahead of its photo is in `done` or `failed`.
    private func sidecar(of observation: FileObservation) throws(CodedError) -> Sidecar.Location {
        let name = try Sidecar.name(observation.sidecars)
        if let sidecar = observation.sidecar { return .at(FilePath(sidecar.identity.path.reveal())) }
        // A sidecar that is not a regular file is not a companion; reading it gives the error.
        return name.map { .at(FilePath(observation.identity.path.reveal()).removingLastComponent().appending($0)) }
            ?? .missing
    }

    private func item(_ candidate: ListedFile, _ identity: FileIdentity, sidecar: Sidecar.Location) throws(CodedError)
        -> Photo
    {
        let inputs = self.options.inputs
        var resolver = MetadataResolver(options: inputs.fields, rule: inputs.businessNumberRule)
        return try resolver.item(candidate, at: .file(identity), sidecar: sidecar)
    }

    // MARK: Late sidecars

    private static let withoutPhoto = Plan.leave(CodedError(.photoMissing, .input, .watchPhotoMissing))

    /// Returns what to do with a sidecar without a photo.
    ///
    /// The sidecar is late if the last photo of its name was admitted without a sidecar; otherwise it belongs to a future photo.
    private func planForLateSidecar(of image: ListedFile, _ sidecar: FilePath) -> Plan {
        guard self.options.after == .move, let (name, identity) = try? self.lastAdmitted(image),
            let alone = try? self.item(image, identity, sidecar: .missing)
        else { return Self.withoutPhoto }
        do {
            let item = try self.item(image, identity, sidecar: .at(sidecar))
            return alone.metadata.businessNumber == item.metadata.businessNumber
                ? .amend(item, beside: name) : Self.withoutPhoto
        } catch {
            // The sidecar may belong to the next photo of this name instead.
            return .leave(error)
        }
    }

    /// Returns the last photo of a name in `done`, if it has no sidecar there.
    private func lastAdmitted(_ image: ListedFile) throws(Errno) -> (String, FileIdentity)? {
        let folder = self.folder(of: image)
        let done = try folder.open(in: "done")
        let names = folder.names(for: image.path.name)
        let free = try names.free(above: 0) { name throws(Errno) in try done.status(of: name) != nil }
        let last = names[free - 1]
        guard free > 1, let status = try done.status(of: last), status.kind == .file,
            try done.status(of: last + Sidecar.suffix) == nil
        else { return nil }
        return (last, folder.identity(last, status, in: "done"))
    }
}

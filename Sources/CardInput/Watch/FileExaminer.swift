import CardModel
import Glibc
import SystemPackage

/// Finds out how a file of a watched folder looks, what it is, and what is known about it. Blocks.
struct FileExaminer: Sendable {
    /// What is to be done with a file that is complete.
    enum Plan: Sendable {
        case changed
        /// It goes with a file that is there.
        case companion(of: Candidate)
        case take(InputItem)
        /// It is the sidecar of a photo that was taken in before, and that has this name now.
        case amend(InputItem, beside: String)
        case refuse(CodedError)
        /// It stays where it is, as long as it looks so, and why: it is no photo, or cannot be one of a case yet.
        case leave(CodedError)

        /// The number of the photo that is to be handed over.
        var number: BusinessNumber? {
            switch self {
            case .take(let item), .amend(let item, _): item.metadata.businessNumber
            default: nil
            }
        }
    }

    let options: WatchOptions
    /// The real path of the watched folder.
    let root: FilePath

    /// Looks at a file; `nil` if it is not there.
    ///
    /// - Parameter folders: the sidecars in the folders that were listed for this look or those before it.
    func sight(of candidate: Candidate, _ folders: inout [FilePath: SidecarNames]) -> Sight? {
        let path = candidate.path.removingLastComponent()
        // Where a folder may not be listed, the sidecar of its very name is found all the same.
        let names = folders[path] ?? SidecarNames((try? OpenFolder(path).names()) ?? [])
        folders[path] = names
        return self.sight(of: candidate, names.match(candidate.path.name))
    }

    private func sight(of candidate: Candidate, _ sidecars: SidecarNames.Match) -> Sight? {
        let below = candidate.place?.folders ?? []
        // What cannot be looked at is not there for now: the next scan meets it again.
        guard let folder = try? OpenFolder(self.root).entering(below) else { return nil }
        return try? Sight.of(
            candidate.path.name,
            in: folder,
            root: self.root,
            below: below,
            suffixes: self.options.companionSuffixes,
            sidecars: sidecars
        )
    }

    /// Tells what is to be done with a file that looks so.
    func plan(for candidate: Candidate, _ sight: Sight) -> Plan {
        let plan = self.read(candidate, sight)
        // Its sidecar may have been written while it was read.
        return self.sight(of: candidate, sight.sidecars) == sight ? plan : .changed
    }

    private func read(_ candidate: Candidate, _ sight: Sight) -> Plan {
        for owner in self.options.owners(of: sight.name) {
            guard let image = self.image(of: candidate, owner.image) else { continue }
            if let there = self.present(image, orOtherCase: owner.suffix == Sidecar.suffix) {
                return .companion(of: there)
            }
            if owner.suffix != Sidecar.suffix { return Self.lone }
            if ImageFormat.isName(owner.image) { return self.late(image, candidate.path) }
        }
        do throws(CodedError) {
            if let reason = try self.whatIsNoImage(sight) ?? self.whatIsMissing(sight) { return .leave(reason) }
        } catch {
            return error.code == .sourceChanged ? .changed : .leave(error)
        }
        do throws(CodedError) {
            return .take(try self.item(candidate, sight.identity, sidecar: try self.sidecar(of: sight)))
        } catch {
            let isDeep = (candidate.place?.folders.count ?? 0) > 1
            if isDeep, error.code == .businessNumberMissing, case .folder = self.options.inputs.businessNumberRule {
                return .leave(error)
            }
            return .refuse(error)
        }
    }

    /// The file of a name if it is there, or for a sidecar one whose name differs by case alone.
    private func present(_ image: Candidate, orOtherCase: Bool) -> Candidate? {
        if self.sight(of: image, SidecarNames.Match()) != nil { return image }
        guard orOtherCase, let names = try? OpenFolder(image.path.removingLastComponent()).names() else { return nil }
        let wanted = image.path.name.lowercased()
        let name = names.first { $0.text.lowercased() == wanted }
        return name.flatMap { self.image(of: image, $0.text) }
    }

    /// Another file in the folder of one.
    private func image(of candidate: Candidate, _ name: String) -> Candidate? {
        guard let name = FilePath.Component(name) else { return nil }
        var image = candidate
        image.path = candidate.path.removingLastComponent().appending(name)
        image.real = image.path
        image.source = FilePath(candidate.source).removingLastComponent().appending(name).text
        return image
    }

    private func whatIsNoImage(_ sight: Sight) throws(CodedError) -> CodedError? {
        if ImageFormat.isName(sight.name) { return nil }
        let start = try SourceFile.head(sight.identity, count: InputLimits.sniffBytes)
        let format = ImageFormat.sniff(start)
        return format == .unknown ? format.refusal(start) : nil
    }

    /// Says what an image has waited for in vain: `WatchedFiles` gives it its turn all the same.
    private func whatIsMissing(_ sight: Sight) -> CodedError? {
        if let marker = self.options.doneMarker, !sight.companions.contains(where: { $0.suffix == marker }) {
            return CodedError(.doneMarkerMissing, .input, .watchWaitsForMarker)
        }
        guard self.options.sidecar == .required, sight.sidecar == nil, sight.sidecars == SidecarNames.Match() else {
            return nil
        }
        return CodedError(.sidecarMissing, .input, .watchWaitsForSidecar)
    }

    /// Where the sidecar of a photo is; one that went ahead of its photo is read where it is.
    private func sidecar(of sight: Sight) throws(CodedError) -> Sidecar.Place {
        let name = try Sidecar.name(sight.sidecars)
        if let sidecar = sight.sidecar { return .at(FilePath(sidecar.identity.path.reveal())) }
        // One that is no regular file.
        return name.map { .at(FilePath(sight.identity.path.reveal()).removingLastComponent().appending($0)) }
            ?? .missing
    }

    private func item(_ candidate: Candidate, _ identity: FileIdentity, sidecar: Sidecar.Place) throws(CodedError)
        -> InputItem
    {
        let inputs = self.options.inputs
        var resolver = MetadataResolver(options: inputs.fields, rule: inputs.businessNumberRule)
        return try resolver.item(candidate, at: .file(identity), sidecar: sidecar)
    }

    // MARK: Late sidecars

    private static let lone = Plan.leave(CodedError(.photoMissing, .input, .watchPhotoMissing))

    /// What a sidecar is that lies without its photo.
    ///
    /// It is late if the last photo of its name was taken without one. Any other is for a photo to come.
    private func late(_ image: Candidate, _ sidecar: FilePath) -> Plan {
        let below = image.place?.folders ?? []
        let place = below.reduce(self.root.appending("done")) { $0.appending($1) }
        guard self.options.after == .move,
            let (name, identity) = try? self.lastTaken(image.path.name, place, below),
            let alone = try? self.item(image, identity, sidecar: .missing)
        else { return Self.lone }
        do {
            let item = try self.item(image, identity, sidecar: .at(sidecar))
            return alone.metadata.businessNumber == item.metadata.businessNumber
                ? .amend(item, beside: name) : Self.lone
        } catch {
            // It may be for the next photo of this name, which does not go without it.
            return .leave(error)
        }
    }

    /// The last photo of a name that was put into a folder, if it has no sidecar there.
    private func lastTaken(_ image: String, _ place: FilePath, _ below: [String]) throws(Errno)
        -> (String, FileIdentity)?
    {
        let folder = try OpenFolder(self.root).entering(["done"] + below)
        let names = NumberedName(image, leavingRoomFor: PutAway.room(self.options.companionSuffixes))
        let free = try names.free(above: 0) { name throws(Errno) in try folder.status(of: name) != nil }
        guard free > 1, let status = try folder.status(of: names[free - 1]), status.kind == .file,
            try folder.status(of: names[free - 1] + Sidecar.suffix) == nil
        else { return nil }
        return (names[free - 1], FileIdentity(path: place.appending(names[free - 1]).text, status))
    }
}

import CardModel
import Glibc
import SystemPackage

/// Finds out how a file of a watched folder looks, what it is, and what is known about it. Blocks.
struct FileExaminer: Sendable {
    /// What is to be done with a file that is complete.
    enum Plan: Sendable {
        /// It is not what it was.
        case changed
        /// It is no image, or nothing yet.
        case nothing
        /// Nobody may read it.
        case unreadable
        /// It goes with a file that is there.
        case companion(of: Candidate)
        /// To be taken in.
        case take(InputItem)
        /// It is the sidecar of a photo that was taken in before, and that has this name now.
        case amend(InputItem, beside: String)
        /// To be refused.
        case refuse(CodedError)
        /// It lies deeper than folders give business numbers: it stays, since whoever copied a tree did not mean it.
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
    func sight(of candidate: Candidate) -> Sight? {
        let below = candidate.place?.folders ?? []
        // What cannot be looked at is not there for now: the next scan meets it again.
        guard let folder = try? OpenFolder(self.root).entering(below) else { return nil }
        return try? Sight.of(
            candidate.path.name,
            in: folder,
            root: self.root,
            below: below,
            suffixes: self.options.companionSuffixes
        )
    }

    /// Tells what is to be done with a file that looks so.
    func plan(for candidate: Candidate, _ sight: Sight) -> Plan {
        let plan = self.read(candidate, sight)
        // Its sidecar may have been written while it was read.
        return self.sight(of: candidate) == sight ? plan : .changed
    }

    private func read(_ candidate: Candidate, _ sight: Sight) -> Plan {
        for suffix in self.options.companionSuffixes where sight.name.hasSuffix(suffix) {
            guard let image = self.image(of: candidate, suffix) else { continue }
            if self.sight(of: image) != nil { return .companion(of: image) }
            if suffix == Sidecar.suffix, ImageFormat.isName(image.path.name) { return self.late(image) }
        }
        do throws(CodedError) {
            guard try self.isImage(sight) else { return .nothing }
        } catch {
            return error.code == .sourceChanged ? .changed : .unreadable
        }
        do throws(CodedError) {
            return .take(try self.item(candidate, sight.identity, sidecar: sight.sidecar))
        } catch {
            let isDeep = (candidate.place?.folders.count ?? 0) > 1
            if isDeep, error.code == .businessNumberMissing, case .folder = self.options.inputs.businessNumberRule {
                return .leave(error)
            }
            return .refuse(error)
        }
    }

    /// The file that one is named after.
    private func image(of candidate: Candidate, _ suffix: String) -> Candidate? {
        guard let name = FilePath.Component(String(candidate.path.name.dropLast(suffix.utf8.count))) else { return nil }
        var image = candidate
        image.path = candidate.path.removingLastComponent().appending(name)
        image.real = image.path
        image.source = FilePath(candidate.source).removingLastComponent().appending(name).text
        return image
    }

    private func isImage(_ sight: Sight) throws(CodedError) -> Bool {
        if ImageFormat.isName(sight.name) { return true }
        let start = try SourceFile.head(sight.identity, count: InputLimits.sniffBytes)
        return ImageFormat.sniff(start) != .unknown
    }

    private func item(_ candidate: Candidate, _ identity: FileIdentity, sidecar: Sight.Companion?) throws(CodedError)
        -> InputItem
    {
        // One that went ahead of its photo is read where it is.
        let image = sidecar.map { sidecar in
            FilePath(sidecar.identity.path.reveal()).removingLastComponent().appending(sidecar.base)
        }
        var resolver = self.resolver
        let (metadata, origins) = try resolver.metadata(of: candidate, row: nil, sidecarOf: image)
        return InputItem(
            place: .file(identity),
            name: Redacted(candidate.source),
            metadata: metadata,
            origins: origins
        )
    }

    private var resolver: MetadataResolver {
        MetadataResolver(options: self.options.inputs.fields, rule: self.options.inputs.businessNumberRule)
    }

    // MARK: Late sidecars

    /// What a sidecar is that lies without its photo.
    ///
    /// It is late if the last photo of its name was taken in without one and would have had the same number with it.
    /// Any other is for a photo that is still to come.
    private func late(_ image: Candidate) -> Plan {
        let below = image.place?.folders ?? []
        let place = below.reduce(self.root.appending("done")) { $0.appending($1) }
        var resolver = self.resolver
        do {
            guard self.options.after == .move,
                let (name, identity) = try self.lastTaken(image.path.name, place, below)
            else { return .nothing }
            let alone = try resolver.metadata(of: image, row: nil, sidecarOf: place.appending(name)).0
            let item = try self.item(image, identity, sidecar: nil)
            return alone.businessNumber == item.metadata.businessNumber ? .amend(item, beside: name) : .nothing
        } catch {
            // Nothing can be said of the photo; what is wrong is told once that is there.
            return .nothing
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

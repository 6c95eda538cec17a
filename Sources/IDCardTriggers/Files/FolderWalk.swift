/// Walks a folder that the user named and everything below it.
///
/// A real folder is entered once. Symbolic links are followed only to what lies below the folder given, and links to
/// folders only after all real folders have been seen, so a file keeps the name of the folder it really lies in and
/// loops end by themselves. Folders into which a watch puts files are passed over, by their mark or their place, and so is
/// that of the sandbox.
struct FolderWalk {
    private struct Folder {
        var path: String
        var below: String
        var place: FolderPlace
    }

    private let root: String
    private let source: String
    private let roots: [PathBytes: FolderPlace]
    private let skipped: Set<PathBytes>
    private let own: OwnFolder
    private let limit: Int
    private var pending: [Folder] = []
    private var linked: [Folder] = []
    private var entered: Set<PathBytes> = []
    private var found: [(below: PathBytes, candidate: Candidate)] = []

    /// Prepares a walk.
    ///
    /// - Parameters:
    ///   - root: the real path of the folder.
    ///   - source: the folder as the user gave it.
    ///   - roots: all folders that the user named, by their real paths.
    ///   - putAway: the folders into which a watch puts files.
    ///   - own: the folder of the sandbox.
    ///   - limit: the most files.
    init(
        root: String,
        source: String,
        roots: [PathBytes: FolderPlace],
        putAway: PutAwayFolders,
        own: OwnFolder,
        limit: Int
    ) {
        self.root = root
        self.own = own
        self.source = source
        self.roots = roots
        // A folder that the user named is meant.
        self.skipped = putAway.places(in: root).subtracting(roots.keys)
        self.limit = limit
    }

    /// Lists the files, sorted by the bytes of their paths.
    ///
    /// - Throws: `BatchSourceError.inputUnreadable` if the folder itself cannot be listed, `.tooManyInputs` beyond the
    ///   limit.
    mutating func candidates() throws(BatchSourceError) -> [Candidate] {
        self.pending = [Folder(path: self.root, below: "", place: self.roots[PathBytes(self.root)] ?? FolderPlace())]
        while let folder = self.nextFolder() {
            guard !self.skipped.contains(PathBytes(folder.path)), !self.own.holds(folder.path),
                self.entered.insert(PathBytes(folder.path)).inserted
            else { continue }
            try self.list(folder)
            guard self.found.count <= self.limit else { throw .tooManyInputs(limit: self.limit) }
        }
        return self.found.sorted { $0.below < $1.below }.map(\.candidate)
    }

    private mutating func nextFolder() -> Folder? {
        if let folder = self.pending.popLast() { return folder }
        // In byte order, so that the result does not depend on how the file system orders names.
        self.linked.sort { PathBytes($0.below) > PathBytes($1.below) }
        return self.linked.popLast()
    }

    private mutating func list(_ folder: Folder) throws(BatchSourceError) {
        let listing: FolderListing
        do {
            listing = try FolderListing(of: folder.path)
        } catch {
            guard !folder.below.isEmpty else {
                throw BatchSourceError(
                    .inputUnreadable,
                    "a folder named as input cannot be listed (\(error)); make it readable or leave it out",
                    input: self.source
                )
            }
            let message = "this folder cannot be listed (\(error)); make it readable and run again"
            self.add(.unusable(message), path: folder.path, below: folder.below, place: nil)
            return
        }
        let names = Set(listing.entries.map { PathBytes($0.name) })
        guard folder.below.isEmpty || !names.contains(PathBytes(PutAwayMark.name)) else { return }
        for entry in listing.entries where !SkippedNames.contains(entry.name) {
            if let image = PathText.name(entry.name, without: Sidecar.suffix), names.contains(PathBytes(image)) {
                continue
            }
            self.examine(entry, in: folder)
        }
    }

    private mutating func examine(_ entry: FolderListing.Entry, in folder: Folder) {
        let path = PathText.join(folder.path, entry.name)
        let below = PathText.join(folder.below, entry.name)
        guard entry.isDecodable else {
            let message = "the name is not UTF-8; rename it and run again"
            // Two such names may look the same once their bytes are replaced: the count keeps them apart.
            let identity = PathBytes(path + "\0\(self.found.count)")
            self.add(.unusable(message), path: path, below: below, place: nil, identity: identity)
            return
        }
        switch entry.kind {
        case .file: self.add(.file, path: path, below: below, place: folder.place)
        case .folder: self.pending.append(self.folder(at: path, below: below, named: entry.name, in: folder))
        case .other: self.add(.notAFile, path: path, below: below, place: nil)
        case .link: self.follow(entry.name, path: path, below: below, in: folder)
        }
    }

    private mutating func follow(_ name: String, path: String, below: String, in folder: Folder) {
        switch LinkTarget(of: path, within: self.root) {
        case .file(let target) where self.own.holds(target):
            self.add(.strayLink("a symbolic link into the sandbox; remove it"), path: path, below: below, place: nil)
        case .file(let target):
            let identity = PathBytes(target)
            self.add(.file, path: path, below: below, place: folder.place, identity: identity)
        case .folder(let target):
            self.linked.append(self.folder(at: target, below: below, named: name, in: folder))
        case .other:
            self.add(.notAFile, path: path, below: below, place: nil)
        case .refused(let message):
            self.add(.strayLink(message), path: path, below: below, place: nil)
        }
    }

    /// A folder below another one; if the user named it, too, what lies in it belongs to it.
    private func folder(at path: String, below: String, named name: String, in parent: Folder) -> Folder {
        Folder(path: path, below: below, place: self.roots[PathBytes(path)] ?? parent.place.below(name))
    }

    private mutating func add(
        _ finding: Candidate.Finding,
        path: String,
        below: String,
        place: FolderPlace?,
        identity: PathBytes? = nil
    ) {
        let candidate = Candidate(
            source: PathText.join(self.source, below),
            path: path,
            identity: identity ?? PathBytes(path),
            place: place,
            origin: .found,
            finding: finding
        )
        self.found.append((PathBytes(below), candidate))
    }
}

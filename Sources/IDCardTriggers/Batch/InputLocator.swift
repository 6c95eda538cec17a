/// Turns what the user named into candidates.
struct InputLocator {
    private enum Named {
        case file(source: String, origin: Candidate.Origin)
        case folder(source: String, real: String)
        case unusable(source: String, message: String)
    }

    private let putAway: PutAwayFolders
    private let own: OwnFolder
    private let limit: Int
    private var named: [Named] = []
    private var roots: [PathBytes: FolderPlace] = [:]
    private var realFolders: [PathBytes: String] = [:]

    /// Takes the folders into which a watch puts files, the one of the sandbox, and the most files that one folder may hold.
    init(putAway: PutAwayFolders, own: OwnFolder, limit: Int) {
        self.putAway = putAway
        self.own = own
        self.limit = limit
    }

    /// Lists all files that the paths name, in the order of the paths.
    ///
    /// - Throws: `BatchSourceError` with `inputNotFound`, `inputUnreadable` or `tooManyInputs`; the message names the
    ///   place of the path, not the path.
    mutating func candidates(of paths: [String]) throws(BatchSourceError) -> [Candidate] {
        // First all: an image belongs to the nearest folder that was named, also one named later.
        for (index, path) in paths.enumerated() { try self.look(up: path, place: index + 1) }
        var candidates: [Candidate] = []
        for input in self.named {
            switch input {
            case .file(let source, let origin):
                candidates.append(self.candidate(at: source, origin: origin))
            case .folder(let source, let real):
                var walk = FolderWalk(
                    root: real,
                    source: source,
                    roots: self.roots,
                    putAway: self.putAway,
                    own: self.own,
                    limit: self.limit
                )
                candidates += try walk.candidates()
            case .unusable(let source, let message):
                candidates.append(self.unusable(source, origin: .found, message: message))
            }
        }
        return candidates
    }

    /// Looks a single file up that must really lie below a folder, as named by a row of a manifest that lies there.
    ///
    /// - Parameter confines: the real path of the folder.
    mutating func candidate(at source: String, origin: Candidate.Origin, within confines: String) -> Candidate {
        let candidate = self.candidate(at: source, origin: origin)
        guard candidate.finding == .file else { return candidate }
        if let real = try? FileKind.realPath(of: source), PathText.lies(real, below: confines) { return candidate }
        let words = "it lies outside of the folder that its manifest lies in; put it there, or name it otherwise"
        return self.unusable(source, origin: origin, message: words)
    }

    /// Looks a single file up, as named by a row of a manifest or on the command line.
    mutating func candidate(at source: String, origin: Candidate.Origin) -> Candidate {
        do {
            let kind = try FileKind.of(source, followingLinks: false)
            let isLink = kind == .link
            switch try isLink ? FileKind.of(source, followingLinks: true) : kind {
            case .file: break
            case .folder: return self.unusable(source, origin: origin, message: "this is a folder, not an image")
            case .link, .other: return self.unusable(source, origin: origin, message: "this is not a regular file")
            }
            let folder = try self.realFolder(PathText.folder(of: source))
            let path = PathText.join(folder, PathText.name(of: source))
            // A file that is no link really lies where its name stands; the whole way need not be walked for each.
            let real = isLink ? try FileKind.realPath(of: source) : path
            guard !self.own.holds(real) else {
                return self.unusable(source, origin: origin, message: "it belongs to the sandbox; name photos only")
            }
            return Candidate(
                source: source,
                path: path,
                identity: PathBytes(real),
                place: nil,
                origin: origin,
                finding: .file
            )
        } catch {
            let words = error.isAbsence ? "there is no such file" : "it cannot be opened (\(error))"
            return self.unusable(source, origin: origin, message: "\(words); check the path and run again")
        }
    }

    /// The real paths of the folders that were walked.
    var walkedFolders: [String] {
        self.named.compactMap { if case .folder(_, let real) = $0 { real } else { nil } }
    }

    private mutating func look(up path: String, place: Int) throws(BatchSourceError) {
        let isTaken: Bool
        do throws(SystemFailure) {
            switch try FileKind.of(path, followingLinks: true) {
            case .file:
                self.named.append(.file(source: path, origin: .named))
                isTaken = true
            case .folder: isTaken = try self.addRoot(path)
            case .link, .other: throw SystemFailure.notAFile
            }
        } catch {
            if error.isAbsence, GlobPattern.isPattern(path), self.expand(path) { return }
            let words = error.isAbsence ? "names nothing; check its spelling" : "cannot be opened (\(error))"
            throw BatchSourceError(
                error.isAbsence ? .inputNotFound : .inputUnreadable,
                "path \(place) of the command line \(words)",
                input: path
            )
        }
        guard isTaken else {
            throw BatchSourceError(
                .inputUnreadable,
                "path \(place) of the command line is or lies in the folder of the sandbox; name the one of the photos",
                input: path
            )
        }
    }

    /// Takes in what a pattern names; `false` if that is nothing.
    private mutating func expand(_ path: String) -> Bool {
        var expansion = GlobExpansion(path)
        let matches = expansion.expand()
        for match in matches {
            switch match.kind {
            case .file: self.named.append(.file(source: match.source, origin: .found))
            case .unusable(let message): self.named.append(.unusable(source: match.source, message: message))
            case .folder where PutAwayMark.marks(match.source): continue
            case .folder:
                do {
                    // A pattern may meet the sandbox in passing.
                    _ = try self.addRoot(match.source)
                } catch {
                    let message = "this folder cannot be opened (\(error)); make it readable and run again"
                    self.named.append(.unusable(source: match.source, message: message))
                }
            }
        }
        return !matches.isEmpty
    }

    /// - Returns: `false` if the folder is not taken, because it is or lies in that of the sandbox.
    private mutating func addRoot(_ path: String) throws(SystemFailure) -> Bool {
        let real = try FileKind.realPath(of: path)
        guard !self.own.holds(real) else { return false }
        var place = FolderPlace(named: path, real: real)
        // Named twice by different names, as by way of a link, it has none that is certain.
        if let known = self.roots[PathBytes(real)], known.rootName != place.rootName { place.rootName = nil }
        self.roots[PathBytes(real)] = place
        self.named.append(.folder(source: path, real: real))
        return true
    }

    private mutating func realFolder(_ folder: String) throws(SystemFailure) -> String {
        let key = PathBytes(folder)
        if let known = self.realFolders[key] { return known }
        let real = try FileKind.realPath(of: folder.isEmpty ? "." : folder)
        self.realFolders[key] = real
        return real
    }

    private mutating func unusable(_ source: String, origin: Candidate.Origin, message: String) -> Candidate {
        var path = source
        if let folder = try? self.realFolder(PathText.folder(of: source)) {
            path = PathText.join(folder, PathText.name(of: source))
        } else if !PathText.isAbsolute(source), let current = try? self.realFolder("") {
            // Its folder is missing too: then the path stays as written, below the current folder.
            path = PathText.join(current, source)
        }
        return Candidate(
            source: source,
            path: path,
            identity: PathBytes(path),
            place: nil,
            origin: origin,
            finding: .unusable(message)
        )
    }
}

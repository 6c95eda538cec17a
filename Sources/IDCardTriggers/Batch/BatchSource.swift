package import IDCardPipeline

/// The inputs of one `run`: files, folders and patterns named on the command line, and the rows of a manifest.
///
/// - A *file* named on the command line is always taken, whatever it holds.
/// - A *folder* is walked with everything below it, sorted by the bytes of the paths (`FolderWalk`). In it, a file is
///   an image if its name or its first bytes say so; other files are `.ignore`. Names of `SkippedNames`, sidecars and
///   the manifest are no inputs at all.
/// - A *pattern* (`GlobExpansion`) is expanded if no file of that very name exists; the files it names are judged like
///   those of a folder.
/// - A *manifest* alone names the inputs. Together with paths it annotates the files found there, and rows whose file
///   is not among them are added after them. A file named by a row is always taken. A row may name an image by URL
///   (`http://`, `https://`); it is fetched later.
///
/// An input appears once per file and business number, in the place where it was named first; so one photo may serve
/// two applications, but a path given twice, or a link beside its file, is one input. Metadata comes from manifest row,
/// sidecar, options and path, see `MetadataResolver` and `BusinessNumberRule`.
package struct BatchSource: Sendable {
    private let paths: [String]
    private let manifest: String?
    /// The folder that the rows of the manifest must not leave; `nil` if the user named the manifest himself.
    private let confines: String?
    private let options: BatchOptions

    /// From how many files on they are looked at in two halves beside each other.
    static let leastHalved = 128

    /// Takes what the user named; nothing is looked at yet.
    ///
    /// - Parameters:
    ///   - paths: files, folders and patterns.
    ///   - manifest: the path of a CSV or JSONL file.
    ///   - options: what holds for all inputs.
    package init(paths: [String], manifest: String?, options: BatchOptions) {
        self.paths = paths
        self.manifest = manifest
        self.confines = nil
        self.options = options
    }

    /// Takes a source of the configuration: a folder, with the manifest that it may hold, or a manifest alone.
    ///
    /// Whoever may put files into the folder may write its manifest: that one is no link, and its rows name files of the
    /// folder (or URLs). A manifest that the configuration names itself may name every file.
    ///
    /// - Parameters:
    ///   - source: the absolute path of a folder, or of a manifest by its extension (`.csv`, `.jsonl`, `.ndjson`).
    ///   - manifestNames: the names that a manifest in the folder may have; the first one found counts.
    ///   - options: what holds for all inputs.
    package init(source: String, manifestNames: [String], options: BatchOptions) {
        self.options = options
        if Manifest.isName(PathText.name(of: source)), Self.isFile(source) {
            (self.paths, self.manifest, self.confines) = ([], source, nil)
        } else {
            (self.paths, self.confines) = ([source], source)
            // Also a link, or what else has the name: it is refused rather than passed over.
            self.manifest = manifestNames.map { PathText.join(source, $0) }.first { path in
                (try? FileKind.of(path, followingLinks: false)) != nil
            }
        }
    }

    private static func isFile(_ path: String) -> Bool {
        (try? FileKind.of(path, followingLinks: true)) == .file
    }

    /// Lists the inputs in their order; blocks while it reads folders, sidecars and the manifest.
    ///
    /// - Parameter rule: what becomes of an input by a rule of the caller's; it sees each one before it is packed.
    /// - Throws: `BatchSourceError`.
    package func items(by rule: (IntakeItem) -> IntakeItem = { $0 }) throws -> IntakeList {
        var items = IntakeList()
        let (selection, folders, manifest) = try self.selection()
        try selection.forEach { item, _ in items.append(rule(item)) }
        items.setRoots(folders: folders, manifest: manifest)
        return items
    }

    /// Shows each input in its order, with who said what of it; blocks as ``items(by:)`` does.
    ///
    /// - Throws: `BatchSourceError`.
    package func forEach(_ body: (IntakeItem, MetadataOrigins) -> Void) throws {
        try self.selection().0.forEach(body)
    }

    /// The inputs, and the real paths of the folders that were walked and of the manifest.
    private func selection() throws -> (InputSelection, folders: [String], manifest: String?) {
        let manifest = try self.manifest.map { path in
            try Manifest(path: path, limits: self.options.limits, followingLinks: self.confines == nil)
        }
        var locator = InputLocator(
            putAway: PutAwayFolders(self.options.skippedFolders),
            own: OwnFolder(self.options.sandbox),
            limit: self.options.limits.inputs
        )
        var candidates = try locator.candidates(of: self.paths)
        let rows = manifest?.rows ?? []
        // It has just been walked; gone meanwhile, it holds none of the files that the rows name.
        let confines = self.confines.map { (try? FileKind.realPath(of: $0)) ?? $0 }
        let (folder, located) = (manifest?.folder ?? "", locator)
        candidates += Halves.map(rows, least: Self.leastHalved) { rows in
            var locator = located
            return rows.indices.map { index in
                let row = rows[index]
                if row.isAddress { return Candidate(address: row.path, row: index) }
                let path = PathText.isAbsolute(row.path) ? row.path : PathText.join(folder, row.path)
                guard let confines else { return locator.candidate(at: path, origin: .row(index)) }
                return locator.candidate(at: path, origin: .row(index), within: confines)
            }
        }
        let selection = InputSelection(
            candidates: candidates,
            rows: rows,
            manifest: manifest?.identity,
            options: self.options
        )
        return (selection, located.walkedFolders, manifest?.realPath)
    }
}

package import CardModel
import SystemPackage

/// What holds for all inputs of a list.
package struct BatchOptions: Sendable {
    /// What the options of the command line say of each photo, where neither manifest nor sidecar does.
    package var fields = SubmittedFields()
    /// Which part of a path is the business number of a photo that has none otherwise.
    package var businessNumberRule = BusinessNumberRule.folder
    /// The folder of the sandbox: what lies in it is never an input, and is not opened.
    package var sandbox: String?

    /// Each option has its default.
    package init() {}
}

/// The inputs of one run: files, folders and patterns named on the command line, and the rows of a manifest.
///
/// - A *file* named on the command line is always taken, whatever it holds.
/// - A *folder* is walked with everything below it, sorted by the bytes of the paths (`FolderWalk`). In it, a file
///   is an image if its name or its first bytes say so. Names of `IgnoredNames`, sidecars and the manifest are no
///   inputs at all.
/// - A *pattern* (`PathPattern`) is expanded if no file of that very name exists; the files it names are
///   judged like those of a folder.
/// - A *manifest* alone names the inputs. Together with paths it annotates the files found there, and rows whose
///   file is not among them are added after them. A file named by a row is always taken.
///
/// An input appears once per file and business number, in the place where it was named first; so one photo may serve
/// two applications, but a path given twice, or a link beside its file, is one input. A further row for it is a
/// duplicate if it says the same; if not, all its rows are refused. Metadata comes from manifest
/// row, sidecar, options and path, see `MetadataResolver` and `BusinessNumberRule`.
package struct BatchSource: Sendable {
    /// The names that a manifest in a folder of the configuration may have; the first one found counts.
    package static let manifestNames = ["manifest.csv", "manifest.jsonl"]

    private let paths: [String]
    private let manifest: String?
    /// The folder that the rows of the manifest must not leave; `nil` if the user named the manifest.
    private let confines: String?
    private let options: BatchOptions
    /// The most files; tests set it lower.
    var limit = InputLimits.inputs

    /// Takes what the user named; nothing is looked at yet.
    ///
    /// - Parameters:
    ///   - paths: files, folders and patterns.
    ///   - manifest: the path of a CSV or JSONL file.
    ///   - options: what holds for all inputs.
    package init(paths: [String], manifest: String?, options: BatchOptions) {
        (self.paths, self.manifest, self.confines, self.options) = (paths, manifest, nil, options)
    }

    /// Takes a source of the configuration: a folder, with the manifest that it may hold, or a manifest alone.
    ///
    /// Whoever may put files into the folder may write its manifest: that one is no link, and its rows name files of
    /// the folder. A manifest that the configuration names itself may name every file.
    ///
    /// - Parameters:
    ///   - source: the absolute path of a folder, or of a manifest by its extension (`.csv`, `.jsonl`, `.ndjson`).
    ///   - options: what holds for all inputs.
    package init(source: String, options: BatchOptions) {
        self.options = options
        let path = FilePath(source)
        if Manifest.isName(path.name), (try? path.status(followingLinks: true).kind) == .file {
            (self.paths, self.manifest, self.confines) = ([], source, nil)
        } else {
            (self.paths, self.confines) = ([source], source)
            // Also a link, or what else has the name: it is refused rather than passed over.
            self.manifest =
                Self.manifestNames.map { path.appending($0) }.first { path in
                    (try? path.status(followingLinks: false)) != nil
                }?.text
        }
    }

    /// Lists the inputs in their order; blocks while it reads folders, sidecars and the manifest.
    ///
    /// - Throws: `CodedError` if nothing may start: a path that names nothing (`input_not_found`,
    ///   `input_unreadable`), a manifest that cannot be understood (`manifest_unreadable`, `manifest_invalid`,
    ///   `manifest_too_large`, `field_duplicate`), a list that is too long (`too_many_inputs`).
    package func listing() throws(CodedError) -> BatchListing {
        let manifest = try self.manifest.map { path throws(CodedError) in
            try Manifest(path: FilePath(path), followingLinks: self.confines == nil)
        }
        guard manifest.map({ $0.rows.count <= self.limit }) ?? true else { throw .tooManyInputs(limit: self.limit) }
        var locator = InputLocator(own: OwnFolder(self.options.sandbox), limit: self.limit)
        var candidates = try locator.candidates(of: self.paths)
        // It has just been walked; gone meanwhile, it holds none of the files that the rows name.
        let confines = self.confines.map { (try? FilePath($0).real()) ?? FilePath($0) }
        if let manifest {
            for (index, row) in manifest.rows.enumerated() {
                candidates.append(
                    row.isAddress
                        ? ListedFile(row.path, at: "", real: FilePath(row.path), .row(index), .address)
                        : locator.candidate(at: manifest.file(of: row), origin: .row(index), within: confines)
                )
            }
        }
        let selection = InputSelection(candidates, manifest: manifest, options: self.options)
        return BatchListing(try selection.entries(limit: self.limit), passedOver: locator.passedOver)
    }
}

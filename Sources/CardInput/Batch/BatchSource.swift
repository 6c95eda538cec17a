package import CardModel
import SystemPackage

/// The options for all inputs of a list.
package struct BatchOptions: Sendable {
    /// The fields that the command line sets for each photo, unless a manifest or sidecar does.
    package var fields = SubmittedFields()
    /// Which part of a path is the business number of a photo without another one.
    package var businessNumberRule = BusinessNumberRule.folder
    /// The folder of the sandbox: its files are never inputs, and are not opened.
    package var sandbox: String?
    /// Returns the error of a listed photo that could never be delivered, else `nil`.
    package var refusal: @Sendable (Photo) -> CodedError? = { _ in nil }

    package init() {}
}

/// The inputs of one run: files, folders and patterns named on the command line, and the rows of a manifest.
///
/// - A *file* named on the command line is always listed, whatever its content.
/// - A *folder* is walked with everything below it, sorted by the bytes of the paths (`FolderWalk`). In it, a file is an image if
///   its name or its first bytes say so. Names of `IgnoredNames`, sidecars and the manifest are not inputs.
/// - A *pattern* (`PathPattern`) is expanded if no file has exactly this name; its files are treated like those of a folder.
/// - A *manifest* alone names the inputs. Together with paths it annotates the files found there; other files of its rows are
///   added after them. A file of a row is always listed.
///
/// An input appears once per file and business number, at its first position: one photo may serve two cases, but a repeated
/// path, or a link beside its file, is one input. A further row for the same input is a duplicate if the values are equal; if
/// they differ, all rows for that input are refused. Metadata comes from manifest row, sidecar, options and path
/// (`MetadataResolver`, `BusinessNumberRule`).
package struct BatchSource: Sendable {
    /// The possible names of a manifest in a folder of the configuration; the first one found counts.
    package static let manifestNames = ["manifest.csv", "manifest.jsonl"]

    private let paths: [String]
    private let manifest: String?
    /// The folder that the rows of the manifest must not leave; `nil` if the user named the manifest.
    private let confines: String?
    private let options: BatchOptions
    /// The most files; tests lower it.
    var limit = InputLimits.inputs

    /// Makes a source of the user's paths; does not read anything yet.
    ///
    /// - Parameters:
    ///   - paths: files, folders and patterns.
    ///   - manifest: the path of a CSV or JSONL file.
    package init(paths: [String], manifest: String?, options: BatchOptions) {
        (self.paths, self.manifest, self.confines, self.options) = (paths, manifest, nil, options)
    }

    /// Makes a source of the configuration: a folder with its optional manifest, or a manifest alone.
    ///
    /// A person who may put files into the folder may also write its manifest. So that manifest must not be a link, and its rows
    /// may only name files of the folder. A manifest that the configuration names itself may name any file.
    ///
    /// - Parameter source: the absolute path of a folder, or of a manifest by its extension (`.csv`, `.jsonl`, `.ndjson`).
    package init(source: String, options: BatchOptions) {
        self.options = options
        let path = FilePath(source)
        if Manifest.isName(path.name), (try? path.status(followingLinks: true).kind) == .file {
            (self.paths, self.manifest, self.confines) = ([], source, nil)
        } else {
            (self.paths, self.confines) = ([source], source)
            // A link or another entry of this name counts, too: it is refused rather than skipped.
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
        // `real` fails only if the folder vanished after the walk; then it holds no file of a row.
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
        let entries = try selection.entries(limit: self.limit)
        return BatchListing(entries, skipped: locator.skipped, refusal: self.options.refusal)
    }
}

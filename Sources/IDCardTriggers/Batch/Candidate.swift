/// A file on its way to become an input of the run.
struct Candidate {
    /// How the file came to be looked at.
    enum Origin: Hashable {
        /// Its path was named on the command line: taken whatever it holds.
        case named
        /// Found in a folder or by a pattern: taken if it is an image.
        case found
        /// Named by this row of the manifest: taken whatever it holds.
        case row(Int)
    }

    /// What can already be said without opening the file.
    enum Finding: Hashable {
        /// A regular file.
        case file
        /// A URL, in the source; there is neither folder nor sidecar.
        case address
        /// Something that cannot be used, and why.
        case unusable(String)
        /// A symbolic link that is not followed, and why.
        case strayLink(String)
        /// Neither file nor folder (a socket, a device), found in passing.
        case notAFile
    }

    /// The path as the user gave it, joined with the part below; or the URL.
    var source: String
    /// The absolute path: the real folder, then the file's own name (which may be a link).
    var path: String
    /// The real path of the file: two candidates of one identity are the same file.
    var identity: PathBytes
    /// The folder it was found in; `nil` if it was not found by walking into a named folder.
    var place: FolderPlace?
    /// How the file came to be looked at.
    var origin: Origin
    /// What can already be said of it.
    var finding: Finding
}

extension Candidate {
    /// What a row of the manifest names by URL.
    init(address: String, row: Int) {
        self.init(
            source: address,
            path: "",
            identity: PathBytes(address),
            place: nil,
            origin: .row(row),
            finding: .address
        )
    }
}

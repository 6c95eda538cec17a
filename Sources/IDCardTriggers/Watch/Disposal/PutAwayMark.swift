import Glibc

/// The mark of a folder into which a watch puts files: what lies there was taken in or refused, and is no input of a run
/// over the folder above.
///
/// An empty folder rather than a file, so that whoever counts or copies files finds none but his own.
enum PutAwayMark {
    /// The name of the mark.
    static let name = ".idcard-put-away"

    /// Opens a folder to put files into; makes it, and its mark, where they are missing.
    static func making(_ path: String) throws(SystemFailure) -> FolderDescriptor {
        let folder = try FolderDescriptor.making(path)
        // Without the mark the names of these folders still tell: putting the file away matters more.
        _ = mkdirat(folder.number, self.name, 0o755)
        return folder
    }

    /// Whether a folder has the mark.
    static func marks(_ folder: String) -> Bool {
        (try? FileKind.of(PathText.join(folder, self.name), followingLinks: false)) != nil
    }
}

/// Where a symbolic link inside a folder leads.
enum LinkTarget: Hashable {
    /// To a file within the folder; its real path.
    case file(String)
    /// To a folder within the folder; its real path.
    case folder(String)
    /// To a socket, pipe or device.
    case other
    /// Nowhere, or out of the folder; what to tell the user.
    case refused(String)

    /// Follows a link to its end.
    ///
    /// - Parameter folder: the real path of the folder that the link must not leave.
    init(of path: String, within folder: String) {
        do {
            let target = try FileKind.realPath(of: path)
            guard PathText.lies(target, below: folder) || target == folder else {
                self = .refused("a symbolic link that leaves the folder given; name the file itself, or its own folder")
                return
            }
            switch try FileKind.of(target, followingLinks: false) {
            case .file: self = .file(target)
            case .folder: self = .folder(target)
            case .link, .other: self = .other
            }
        } catch {
            self = .refused("a symbolic link that leads nowhere (\(error)); repair or remove it")
        }
    }
}

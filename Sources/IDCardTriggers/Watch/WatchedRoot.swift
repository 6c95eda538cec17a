import CFolders
import Glibc

/// A watched folder as it lies on the disk now.
struct WatchedRoot: Hashable, Sendable {
    /// Its place in the list, from 0.
    var index: Int
    /// The folder as the user gave it.
    var given: String
    /// Its real path.
    var path: String
    /// Its place, with the name that it has to lend.
    var named: FolderPlace
    /// The absolute path of the folder for done files.
    var donePath: String
    /// The absolute path of the folder for refused files.
    var failedPath: String
    /// The real path of the folder of the sandbox, if there is one.
    var sandboxPath: String?
    /// Whether other machines may change it without the kernel's knowing.
    var isRemote: Bool

    /// Looks a folder up.
    init(index: Int, given: String, settings: WatchSettings) throws(SystemFailure) {
        self.index = index
        self.given = given
        self.path = try FileKind.realPath(of: given)
        self.named = FolderPlace(named: given, real: self.path)
        let folder = try FolderDescriptor(path: self.path)
        self.isRemote = idc_is_remote(folder.number) == 1
        self.donePath = Self.place(settings.doneFolder, in: self.path)
        self.failedPath = Self.place(settings.failedFolder, in: self.path)
        self.sandboxPath = OwnFolder(settings.inputs.sandbox).path
    }

    private static func place(_ folder: String, in root: String) -> String {
        let path = PathText.isAbsolute(folder) ? folder : PathText.join(root, folder)
        // What is there already may be reached by another way.
        if let real = try? FileKind.realPath(of: path) { return real }
        let parts = PathText.components(of: path).filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }

    /// The names of the folders between the root and a file, and the file's own name.
    func components(of path: String) -> (folders: [String], name: String) {
        let rest = String(decoding: path.utf8.dropFirst(PathText.join(self.path, "").utf8.count), as: UTF8.self)
        var parts = PathText.components(of: rest)
        let name = parts.popLast() ?? ""
        return (parts, name)
    }

    /// A path as the user would write it.
    func source(of path: String) -> String {
        let (folders, name) = self.components(of: path)
        return PathText.join(self.given, (folders + [name]).joined(separator: "/"))
    }

    /// The folder that a file lies in.
    func place(of path: String) -> FolderPlace {
        FolderPlace(rootName: self.named.rootName, folders: self.components(of: path).folders)
    }

    /// Whether a path lies in a folder or is it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        PathBytes(folder) == PathBytes(path) || PathText.lies(path, below: folder)
    }
}

extension WatchedRoot {
    /// Checks that roots and their folders do not lie within each other in a way that files would go in circles.
    static func check(_ roots: [WatchedRoot]) throws(WatchError) {
        for root in roots {
            for other in roots where other.index > root.index {
                guard self.contains(root.path, other.path) || self.contains(other.path, root.path) else { continue }
                throw WatchError(
                    .rootsOverlap,
                    """
                    the watched folders \(root.index + 1) and \(other.index + 1) are one, or one lies in the other; \
                    leave one out
                    """,
                    folder: other.given
                )
            }
            for folder in roots.flatMap({ [$0.donePath, $0.failedPath] }) where self.contains(folder, root.path) {
                throw WatchError(
                    .folderOverlap,
                    """
                    the watched folder \(root.index + 1) is or lies in a folder for done or refused files; \
                    give another watch.done_folder or watch.failed_folder
                    """,
                    folder: root.given
                )
            }
            if let sandbox = root.sandboxPath, self.contains(sandbox, root.path) {
                throw WatchError(
                    .folderOverlap,
                    "the watched folder \(root.index + 1) is or lies in the folder of the sandbox; watch that of the photos",
                    folder: root.given
                )
            }
            guard PathBytes(root.donePath) != PathBytes(root.failedPath) else {
                throw WatchError(
                    .folderOverlap,
                    "done and refused files would go to one folder; give another watch.failed_folder"
                )
            }
        }
    }
}

import Glibc

/// Looks through a watched root, or a folder below it, and tells of every file that may be an input.
///
/// It holds one open folder and the names of those still to be entered, never all files. Links are not followed,
/// wherever they lead. Blocks.
struct FolderScan {
    /// What a scan met.
    struct Report: Sendable {
        /// How many files were told of.
        var files = 0
        /// The folders that cannot be listed, at most `limit`, and why the first one cannot.
        var unreadable: Set<PathBytes> = []
        var failure: SystemFailure?
        /// How many names are not UTF-8.
        var unreadableNames = 0
        /// Why inotify could not be had for a folder.
        var watchFailure: SystemFailure?
        /// Whether everything was met.
        var isComplete = true
    }

    /// How what a killed process left is finished or undone.
    struct Recovery: Sendable {
        /// The suffixes of what may go with an image.
        var suffixes: [String]
        /// What becomes of files whose card is durable.
        var after: WatchSettings.Disposal
        /// Keeps an image from being taken in meanwhile; `false` if this process works on it already.
        var begin: @Sendable (WatchedPath) -> Bool
        /// Lets it be taken in again; tells whether something still waits for its name to be free.
        var end: @Sendable (WatchedPath, _ isWaiting: Bool) -> Void
    }

    /// How many folders that cannot be listed are kept in mind.
    static let limit = 1000

    let root: WatchedRoot
    let names: WatchedNames
    /// Where files are put away, and the sandbox: nothing in there is an input.
    let excluded: Set<PathBytes>
    let notifier: FolderNotifier?
    /// What a killed process left is finished or undone by this.
    let recovery: Recovery
    /// Hears of each file; `false` ends the scan.
    let visit: @Sendable (WatchedPath, FileShape) -> Bool

    /// Looks through a folder and all below it.
    ///
    /// - Throws: `SystemFailure` if the folder itself cannot be listed.
    func scan(_ folder: WatchedPath) throws(SystemFailure) -> Report {
        var report = Report()
        var pending: [String] = []
        try self.list(folder.path, into: &pending, &report)
        while report.isComplete, let next = pending.popLast() {
            do throws(SystemFailure) {
                try self.list(next, into: &pending, &report)
            } catch {
                // Gone since, or replaced by something else.
                if [ENOENT, ENOTDIR, ELOOP].contains(error.code) { continue }
                report.failure = report.failure ?? error
                if report.unreadable.count < Self.limit { report.unreadable.insert(PathBytes(next)) }
            }
        }
        return report
    }

    private func list(_ path: String, into pending: inout [String], _ report: inout Report) throws(SystemFailure) {
        let folder = try FolderDescriptor(unlinked: path)
        // First, so that nothing that comes while the folder is being read is missed.
        do throws(SystemFailure) {
            let watched = WatchedPath(root: self.root.index, path: path)
            try self.notifier?.watch(watched, isRoot: PathBytes(path) == PathBytes(self.root.path))
        } catch {
            if error.isAbsence { throw error }
            report.watchFailure = report.watchFailure ?? error
        }
        let copy = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemFailure.current }
        guard let stream = fdopendir(copy) else {
            let failure = SystemFailure.current
            close(copy)
            throw failure
        }
        defer { closedir(stream) }
        errno = 0
        while report.isComplete, let record = readdir(stream) {
            if let entry = FolderListing.entry(record.pointee, in: path) {
                self.meet(entry, in: folder, at: path, &pending, &report)
            }
            errno = 0
        }
        guard errno == 0 else { throw SystemFailure.current }
    }

    private func meet(
        _ entry: FolderListing.Entry,
        in folder: borrowing FolderDescriptor,
        at path: String,
        _ pending: inout [String],
        _ report: inout Report
    ) {
        if entry.kind == .file {
            for name in self.recovered(entry.name, in: folder, at: path) {
                self.meetFile(name, in: folder, at: path, &report)
            }
        }
        guard self.names.mayBeInput(entry.name) else { return }
        guard entry.isDecodable else {
            report.unreadableNames += 1
            return
        }
        switch entry.kind {
        case .folder:
            let below = PathText.join(path, entry.name)
            if !self.excluded.contains(PathBytes(below)) { pending.append(below) }
        case .file: self.meetFile(entry.name, in: folder, at: path, &report)
        case .link, .other: break
        }
    }

    private func meetFile(
        _ name: String,
        in folder: borrowing FolderDescriptor,
        at path: String,
        _ report: inout Report
    ) {
        // A file that has gone meanwhile, or cannot be looked up, is none for now.
        guard self.names.mayBeInput(name), let found = try? folder.shape(of: name) else { return }
        report.files += 1
        let file = WatchedPath(root: self.root.index, path: PathText.join(path, name))
        report.isComplete = self.visit(file, found) && report.isComplete
    }

    /// The names that files have got back which a killed process left under passing ones.
    private func recovered(_ name: String, in folder: borrowing FolderDescriptor, at path: String) -> [String] {
        guard name.utf8.first == UInt8(ascii: ".") else { return [] }
        let (folders, last) = self.root.components(of: path)
        let disposal = InterruptedDisposal(
            root: self.root,
            folders: last.isEmpty ? [] : folders + [last],
            suffixes: self.recovery.suffixes,
            after: self.recovery.after
        )
        guard let image = disposal.image(of: name) else { return [] }
        let own = WatchedPath(root: self.root.index, path: PathText.join(path, image))
        guard self.recovery.begin(own) else { return [] }
        let names = disposal.recover(name, in: folder)
        self.recovery.end(own, (try? folder.has(name)) ?? false)
        return names
    }
}

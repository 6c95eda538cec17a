import CardModel
import Glibc
import SystemPackage

// Scans folders and receives changes.
extension FolderWatch {
    private struct Scan: Sendable {
        var real: FilePath
        /// Whether inotify does not report all changes in it.
        var isRemote = false
        var found: [ListedFile]
        var skipped: [String: Int]
        /// Why inotify does not watch a folder.
        var watchError: Errno?
        /// The folders below it that are empty.
        var empty: [FilePath] = []
        /// The empty folders that were removed.
        var removed: [FilePath] = []
        /// Why the folder could not be marked.
        var unmarked: CodedError?
    }

    /// Starts inotify in the automatic mode; polls all roots if it fails.
    func listen() {
        guard self.options.mode == .automatic else { return }
        do throws(Errno) {
            self.notifier = try FolderNotifier { [weak self] in self?.wake() }
        } catch {
            for index in self.roots.indices { self.poll(index, because: error) }
        }
    }

    /// Polls a root from now on, because inotify does not report all its changes.
    private func poll(_ index: Int, because error: Errno) {
        self.roots[index].isPolled = true
        let message: Message =
            switch error {
            case .noSpace: .watchPollsWatches(every: WatchLimits.poll)
            case .tooManyOpenFiles: .watchPollsInstances(every: WatchLimits.poll)
            default: .watchPolls(error.rawValue, every: WatchLimits.poll)
            }
        self.report(CodedError(.watchPolls, .temporary, message), of: index)
    }

    /// Scans a root, and returns the event to report once its files are examined; `nil` if the root is missing.
    func scan(_ index: Int) async throws(CancellationError) -> WatchEvent? {
        let (given, known) = (self.roots[index].given, self.roots[index].real)
        let isFirst = !self.roots[index].isSwept && self.options.after != .leave
        let emptied = self.roots[index].emptied
        let result = try await self.blocking(in: index) { [notifier = self.notifier] in
            Result<Scan, CodedError> { () throws(CodedError) in
                let real: FilePath
                do throws(Errno) {
                    real = try FilePath(given).real()
                    _ = try OpenFolder(real)
                } catch {
                    throw .unwatchable(given, error)
                }
                // At each scan: once a share is mounted again, the path leads to another folder, whose mark counts.
                let unmarked = try self.mark.claim(real, given: given)
                if let unmarked, self.options.after != .leave { throw unmarked }
                if let known, known != real { notifier?.forget(known) }
                let folderPath = FolderPath(named: FilePath(given), real: real)
                let folder = WatchedFolder(root: index, path: real, folderPath: folderPath)
                var scan = try self.walk(folder, source: FilePath(given), notifier, sweeping: isFirst)
                scan.unmarked = unmarked
                scan.removed = self.removeEmptied(scan, emptied)
                return scan
            }
        }
        switch result {
        case .success(let scan):
            self.roots[index].isSwept = true
            // Folders that archiving emptied during this scan stay until the next one.
            self.roots[index].emptied.subtract(emptied.subtracting(scan.empty).union(scan.removed))
            self.roots[index].emptied.formUnion(scan.removed.map { $0.removingLastComponent() })
            return self.finishScan(of: index, scan)
        case .failure(let error):
            if let known { self.notifier?.forget(known) }
            self.files.forget(root: index)
            self.releaseGone()
            self.roots[index].real = nil
            let isMark = [.watchFolderClaimed, .watchFolderUnmarked].contains(error.code)
            self.report(error, of: index, as: isMark ? nil : .watchFolderMissing)
            return nil
        }
    }

    /// Scans a changed folder below a root.
    func scan(_ folder: WatchedFolder) async throws(CancellationError) {
        let root = self.roots[folder.root]
        guard let real = root.real, !IgnoredNames.isArchive(folder.path) else { return }
        let source = folder.folderPath.folders.reduce(FilePath(root.given)) { $0.appending($1) }
        let result = try await self.blocking(in: folder.root) { [notifier = self.notifier] in
            // A folder that cannot be listed is mostly gone already; otherwise the next scan of the root reports it.
            try? self.walk(folder, source: source, notifier)
        }
        guard let result, self.roots[folder.root].real == real else { return }
        if let error = result.watchError { self.poll(folder.root, because: error) }
        self.schedule(result.found, root: folder.root)
    }

    /// Walks a folder, and watches it and each folder below it with inotify.
    private nonisolated func walk(
        _ folder: WatchedFolder,
        source: FilePath,
        _ notifier: FolderNotifier?,
        sweeping: Bool = false
    ) throws(CodedError) -> Scan {
        var (isRemote, watchError) = (false, Errno?.none)
        var empty: [FilePath] = []
        let watching = FolderWalk.Watching(
            ignores: { name, folderPath in self.options.ignores(name, isAtTop: folderPath.folders.isEmpty) },
            entering: { path, folderPath in
                if let refusal = self.mark.refusal(of: path) {
                    // inotify watched it before the other sandbox claimed it.
                    notifier?.forget(path)
                    return refusal
                }
                // Fallback of a failed sweep: the next start of the watch.
                if sweeping { try? TransitName.sweep(OpenFolder(path)) }
                do throws(Errno) {
                    // For a remote folder inotify reports little, and a silent server would block the events of all folders.
                    if try OpenFolder(path).isRemote {
                        isRemote = true
                        return nil
                    }
                    // Before listing, so that files that come during the listing are not missed.
                    try notifier?.watch(WatchedFolder(root: folder.root, path: path, folderPath: folderPath))
                } catch {
                    if !error.isAbsence { watchError = watchError ?? error }
                }
                return nil
            },
            reportEmpty: { empty.append($0) }
        )
        var walk = FolderWalk(
            root: folder.path,
            source: source,
            roots: [folder.path: folder.folderPath],
            own: OwnFolder(self.options.inputs.sandbox),
            limit: InputLimits.inputs,
            watching: watching
        )
        let found = try walk.candidates()
        var scan = Scan(real: folder.path, found: found, skipped: walk.skipped, watchError: watchError)
        (scan.isRemote, scan.empty) = (isRemote, empty)
        return scan
    }

    /// Removes folders that the watch has emptied, if the rule makes each a case; to other folders a scanner may write again.
    ///
    /// - Returns: the removed folders; a folder with new files is never removed.
    private nonisolated func removeEmptied(_ scan: Scan, _ emptied: Set<FilePath>) -> [FilePath] {
        guard self.options.inputs.businessNumberRule.foldersAreCases else { return [] }
        let date = self.date
        return scan.empty.filter { folder in
            guard let status = try? folder.status(followingLinks: false),
                Timestamp(ofFile: status.st_mtim).advanced(by: WatchLimits.emptiedWait) <= date,
                emptied.contains(folder) || self.options.after == .move && Self.isArchived(folder, of: scan.real)
            else { return false }
            return folder.withPlatformString { rmdir($0) == 0 }
        }
    }

    /// Whether files of a folder are in `done/` or `failed/`: shows, after a restart, which folders the watch has emptied.
    private static func isArchived(_ folder: FilePath, of root: FilePath) -> Bool {
        var below = folder
        guard below.removePrefix(root) else { return false }
        return FileDisposal.folders.contains { name in
            (try? root.appending(name).appending(below.components).status(followingLinks: false))?.kind == .folder
        }
    }

    /// Stores the result of a scan, and returns the event to report.
    private func finishScan(of index: Int, _ scan: Scan) -> WatchEvent {
        if self.roots[index].real != scan.real { self.files.forget(root: index) }
        self.roots[index].real = scan.real
        for code in [ReasonCode.watchFolderMissing, .watchFolderClaimed] { self.mend(code, of: index) }
        self.report(scan.unmarked, orResolve: .watchFolderUnmarked, of: index)
        if let error = scan.watchError {
            self.poll(index, because: error)
        } else if self.notifier != nil {
            self.roots[index].isPolled = scan.isRemote
            self.mend(.watchPolls, of: index)
        }
        self.files.scanBegins(root: index)
        let count = self.schedule(scan.found, root: index)
        self.files.scanEnds(root: index)
        self.releaseGone()
        self.reportStrays(scan.found, in: index)
        let unusable = scan.found.compactMap { if case .unusable(let message) = $0.finding { message } else { nil } }
        let unreadable = unusable.first.map { first in
            CodedError(.watchFolderUnreadable, .input, .watchUnusable(unusable.count, first))
        }
        self.report(unreadable, orResolve: .watchFolderUnreadable, of: index)
        self.reportLeftInPlaceCount(in: index)
        return .scanned(folder: Redacted(self.roots[index].given), files: count, skipped: scan.skipped)
    }

    func scanInterval(of index: Int) -> Duration {
        let root = self.roots[index]
        if root.real == nil { return WatchLimits.missingFolderInterval }
        return root.isPolled ? WatchLimits.poll : WatchLimits.rescan
    }

    /// Reports links and special files that a scan found for the first time.
    private func reportStrays(_ found: [ListedFile], in index: Int) {
        var strays: Set<FilePath> = []
        for candidate in found {
            let error: CodedError
            switch candidate.finding {
            case .strayLink(let message): error = .unreadable(message)
            case .notAFile: error = .notAFile
            case .file, .address, .unusable: continue
            }
            strays.insert(candidate.path)
            if !self.roots[index].strays.contains(candidate.path) {
                self.reportLeftInPlace(candidate.source, error, in: index)
            }
        }
        self.roots[index].strays = strays
    }

    /// Schedules the examination of the regular files that a scan found, and returns their number.
    @discardableResult
    private func schedule(_ found: [ListedFile], root: Int) -> Int {
        var count = 0
        for candidate in found {
            guard case .file = candidate.finding else { continue }
            self.files.schedule(candidate, root: root, now: self.now)
            count += 1
        }
        return count
    }

    /// Processes the changes that inotify reported.
    func processChanges() {
        for change in self.notifier?.drainChanges() ?? [] {
            switch change {
            case .file(let name, let folder, let kind): self.recordEvent(of: name, in: folder, kind)
            case .folder(let folder):
                let isAtTop = folder.folderPath.folders.count == 1
                if folder.folderPath.folders.isEmpty
                    || folder.path.lastComponent.map({ !self.options.ignores($0, isAtTop: isAtTop) }) ?? false
                {
                    self.roots[folder.root].changed.insert(folder)
                }
            case .rootGone(let index): self.roots[index].nextScan = .zero
            case .overflow:
                self.files.changesWereLost()
                for index in self.roots.indices { self.roots[index].nextScan = .zero }
            }
        }
    }

    /// Schedules the examination of the file of an event, and of each file whose companion it may be.
    private func recordEvent(of name: FilePath.Component, in folder: WatchedFolder, _ kind: FolderChange.Kind) {
        guard !self.options.ignores(name, isAtTop: folder.folderPath.folders.isEmpty) else { return }
        let path = folder.path.appending(name)
        for owner in self.options.owners(of: name.text) {
            guard let image = FilePath.Component(owner.image) else { continue }
            let file = folder.path.appending(image)
            if let known = self.files[file] {
                // `.left` says nothing about the writing of the owner itself.
                self.files.schedule(known.candidate, root: folder.root, .left, now: self.now)
            }
        }
        guard kind != .left || self.files[path] != nil else { return }
        let below = (folder.folderPath.folders + [name.text]).reduce(FilePath(self.roots[folder.root].given)) {
            $0.appending($1)
        }
        let candidate = ListedFile(below.text, at: path, folderPath: folder.folderPath, .found, .notAFile)
        self.files.schedule(self.files[path]?.candidate ?? candidate, root: folder.root, kind, now: self.now)
    }
}

import Glibc
import Logging
import Synchronization

extension FolderWatch {
    /// Looks through a root or folders.
    func perform(_ scan: WatchState.Scan, notifier: FolderNotifier?) async throws {
        switch scan {
        case .root(let index): try await self.scan(root: index, notifier: notifier)
        case .folders(let folders): try await self.scan(folders, notifier: notifier)
        }
        self.state.withLock { $0.isScanning = false }
        self.wake.call()
    }

    // MARK: A root

    private func scan(root index: Int, notifier: FolderNotifier?) async throws {
        let (given, known) = self.state.withLock { ($0.roots[index].given, $0.roots[index].root) }
        let result: Result<(WatchedRoot, FolderScan.Report), SystemFailure> = try await self.work.run {
            do throws(SystemFailure) {
                let root = try WatchedRoot(index: index, given: given, settings: self.settings)
                if root != known { notifier?.forget(WatchedPath(root: index, path: known?.path ?? root.path)) }
                self.attach(root)
                self.meetManifest(of: root)
                let scan = self.folderScan(of: root, notifier: notifier)
                return .success((root, try scan.scan(WatchedPath(root: index, path: root.path))))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let (root, report)): self.scanned(root, report)
        case .failure(let failure): self.lost(root: index, failure)
        }
    }

    private func folderScan(
        of root: WatchedRoot,
        notifier: FolderNotifier?
    ) -> FolderScan {
        FolderScan(
            root: root,
            names: self.names,
            excluded: self.state.withLock { $0.excluded },
            notifier: notifier,
            recovery: self.recovery,
            visit: { [self] file, shape in
                let now = self.clock.now()
                let isSidecar = self.isSidecar(file)
                return self.state.withLock { state in
                    if isSidecar { state.metMetadataFile(root: file.root) }
                    return !state.isEnding && state.ledger.found(file, as: shape, now: now)
                }
            }
        )
    }

    private var recovery: FolderScan.Recovery {
        FolderScan.Recovery(
            suffixes: [Sidecar.suffix, self.settings.doneMarker].compactMap { $0 },
            after: self.settings.after,
            begin: { [self] image in self.state.withLock { $0.beginRecovery(of: image) } },
            end: { [self] image, isWaiting in self.state.withLock { $0.endRecovery(of: image, isWaiting: isWaiting) } }
        )
    }

    /// Notes where a root lies now.
    private func attach(_ root: WatchedRoot) {
        self.state.withLock { state in
            if state.roots[root.index].root?.path != root.path {
                state.ledger.forget(root: root.index)
                state.ledger.settled.forget(root: root.index)
                state.ledger.unplaced.forget(root: root.index)
                state.ledger.unassigned.forget(root: root.index)
                state.roots[root.index].manifest = nil
                state.roots[root.index].metadataFiles = .unknown
            }
            state.attach(root)
            state.ledger.scanBegins(root: root.index)
        }
    }

    /// Meets the manifest of a root before all that may wait for it.
    private func meetManifest(of root: WatchedRoot) {
        for name in self.settings.manifests {
            let file = WatchedPath(root: root.index, path: PathText.join(root.path, name))
            // What cannot be looked up is told of by the files that wait for it.
            guard let shape = try? FileShape.of(path: file.path) else { continue }
            let now = self.clock.now()
            return self.state.withLock { state in
                guard !state.isEnding else { return }
                state.metMetadataFile(root: root.index)
                _ = state.ledger.found(file, as: shape, now: now, always: true)
            }
        }
    }

    private func scanned(_ root: WatchedRoot, _ report: FolderScan.Report) {
        let index = root.index
        let wasUnreadable = self.state.withLock { state in
            defer { state.roots[index].unreadable = report.unreadable }
            if report.isComplete {
                state.ledger.scanEnds(root: index)
                state.lookedThrough.insert(index)
            }
            return state.roots[index].unreadable
        }
        self.tellMended(.rootMissing, of: index)
        self.tellOfPlaced(root: index)
        self.tellOfAssigned(root: index)
        if root.isRemote, !self.state.withLock({ $0.roots[index].isPolled }) {
            self.logger.notice(
                "watched folder is on a remote file system: polled",
                metadata: ["watch.root": "\(index + 1)"]
            )
            self.poll(root: index, because: nil)
        }
        if let failure = report.watchFailure {
            self.poll(root: index, because: failure)
        } else if self.settings.mode == .automatic, !root.isRemote, report.isComplete {
            self.heardOfAll(root: index)
        }
        if report.unreadable != wasUnreadable, let failure = report.failure {
            // Others than before: that is news.
            self.state.withLock { _ = $0.roots[index].problems.remove(.folderUnreadable) }
            let words =
                "\(report.unreadable.count) folder(s) below it cannot be listed (\(failure)); make them readable"
            self.tell(.folderUnreadable, of: index, words)
        } else if report.unreadable.isEmpty, report.isComplete {
            self.tellMended(.folderUnreadable, of: index)
        }
        if report.unreadableNames > 0 {
            let words = "\(report.unreadableNames) name(s) in it are not UTF-8; rename the files"
            self.tell(.nameUnreadable, of: index, words)
        } else if report.isComplete {
            self.tellMended(.nameUnreadable, of: index)
        }
        self.scheduleScan(of: index)
        self.logger.debug(
            "watched folder looked through",
            metadata: ["watch.root": "\(index + 1)", "files": "\(report.files)"]
        )
        self.observer(.scanned(root: index + 1, files: report.files))
    }

    /// inotify tells of all of a root, maybe again.
    private func heardOfAll(root: Int) {
        let isHeard = self.state.withLock { state in
            // Without a descriptor nothing was watched, and the problem is not the root's.
            guard state.hasNotifier else { return false }
            state.roots[root].isPolled = false
            return true
        }
        if isHeard { self.tellMended(.polling, of: root) }
    }

    private func scheduleScan(of index: Int) {
        let now = self.clock.now()
        self.state.withLock { state in
            let interval = state.roots[index].isPolled ? self.settings.pollInterval : self.settings.rescanInterval
            state.roots[index].nextScan = min(state.roots[index].nextScan, now + interval)
        }
    }

    private func lost(root index: Int, _ failure: SystemFailure) {
        let now = self.clock.now()
        self.state.withLock { state in
            state.ledger.forget(root: index)
            state.roots[index].root = nil
            state.roots[index].nextScan = now + self.settings.returnInterval
        }
        self.tell(
            .rootMissing,
            of: index,
            "the watched folder cannot be opened (\(failure)); it is looked for every \(self.settings.returnInterval)"
        )
    }

    // MARK: Folders

    private func scan(_ folders: [WatchedPath], notifier: FolderNotifier?) async throws {
        let roots = self.state.withLock { $0.roots.map(\.root) }
        let failures: [(Int, SystemFailure)] = try await self.work.run {
            folders.compactMap { folder in
                guard let root = roots[folder.root] else { return nil }
                let scan = self.folderScan(of: root, notifier: notifier)
                // A folder that cannot be listed is told of by the next scan of its root.
                guard let failure = (try? scan.scan(folder))?.watchFailure else { return nil }
                return (folder.root, failure)
            }
        }
        for (root, failure) in failures {
            self.poll(root: root, because: failure)
            self.scheduleScan(of: root)
        }
    }
}

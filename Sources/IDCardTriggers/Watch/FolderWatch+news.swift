import Glibc
import Logging
import Synchronization

extension FolderWatch {
    /// Makes what hears of changes; `nil` if they are looked for instead.
    func makeNotifier() -> FolderNotifier? {
        let roots = self.state.withLock { $0.roots.indices }
        guard self.settings.mode == .automatic else {
            self.state.withLock { state in
                for index in roots { state.roots[index].isPolled = true }
            }
            return nil
        }
        do throws(SystemFailure) {
            let notifier = try FolderNotifier(
                faults: self.faults,
                isWanted: { [weak self] in self?.mayBeInput($0) ?? false },
                notify: { [weak self] in self?.hear($0) }
            )
            self.state.withLock { $0.hasNotifier = true }
            return notifier
        } catch {
            for index in roots { self.poll(root: index, because: error) }
            return nil
        }
    }

    /// Looks for changes in a root from now on, because inotify does not tell of all of them.
    func poll(root: Int, because failure: SystemFailure?) {
        self.state.withLock { $0.roots[root].isPolled = true }
        guard let failure else { return }
        let advice =
            failure.code == ENOSPC
            ? "raise fs.inotify.max_user_watches"
            : failure.code == EMFILE ? "raise fs.inotify.max_user_instances" : "see to the system's limits"
        self.tell(
            .polling,
            of: root,
            "inotify cannot be had for all folders (\(failure)): the folder is looked through every "
                + "\(self.settings.pollInterval); \(advice), or set watch.mode to polling"
        )
    }

    /// Hears of something from the thread that reads inotify; must not block.
    private func hear(_ notice: FolderNotice) {
        let now = self.clock.now()
        switch notice {
        case .closed(let file): self.heard(of: file, isClosed: true, now: now)
        case .created(let file): self.heard(of: file, isClosed: false, now: now)
        case .modified(let file): guard self.state.withLock({ $0.ledger.modified(file, now: now) }) else { return }
        case .folder(let folder):
            guard self.mayBeInput(folder) else { return }
            self.state.withLock { state in
                guard !state.folders.contains(folder) else { return }
                if state.folders.count < WatchState.folderLimit {
                    state.folders.append(folder)
                } else {
                    state.roots[folder.root].nextScan = now
                }
            }
        case .rootGone(let root): self.state.withLock { $0.roots[root].nextScan = now }
        case .overflow:
            self.logger.notice("events of watched folders were lost: all is looked through again")
            self.state.withLock { state in
                state.ledger.newsWereLost()
                state.scanAll(now: now)
            }
        }
        self.wake.call()
    }

    private func heard(of file: WatchedPath, isClosed: Bool, now: Duration) {
        guard self.mayBeInput(file) else { return }
        let isSidecar = self.isSidecar(file)
        self.state.withLock { state in
            if let marker = self.settings.doneMarker, let image = PathText.name(file.path, without: marker) {
                // A marker has no content that could still be missing.
                state.ledger.reconsider(WatchedPath(root: file.root, path: image), now: now)
                return
            }
            let always = self.isManifest(file, of: state.roots[file.root].root)
            if always || isSidecar { state.metMetadataFile(root: file.root) }
            if isClosed {
                state.ledger.noticed(file, isClosed: true, now: now, always: always)
            } else {
                state.ledger.appeared(file, now: now, always: always)
            }
        }
    }

    /// Whether a file has the name and the place of a manifest: all others of its root may wait for it.
    private func isManifest(_ file: WatchedPath, of root: WatchedRoot?) -> Bool {
        guard let root else { return false }
        return self.settings.manifests.contains { PathBytes(PathText.join(root.path, $0)) == file.key }
    }

    private func mayBeInput(_ path: WatchedPath) -> Bool {
        guard self.names.mayBeInput(PathText.name(of: path.path)) else { return false }
        return self.state.withLock { !$0.excluded.contains(path.key) }
    }

    // MARK: Problems

    /// Tells of a problem, once until it is mended.
    func tell(_ problem: WatchEvent.Problem, of root: Int, _ message: String) {
        let isNew = self.state.withLock { $0.roots[root].problems.insert(problem).inserted }
        guard isNew else { return }
        self.logger.warning(
            "problem with a watched folder",
            metadata: ["watch.root": "\(root + 1)", "code": "\(problem.rawValue)"]
        )
        self.observer(.problem(root: root + 1, problem, message: message))
    }

    /// Tells that a problem is no more, if it was told of.
    func tellMended(_ problem: WatchEvent.Problem, of root: Int) {
        let wasTold = self.state.withLock { $0.roots[root].problems.remove(problem) != nil }
        guard wasTold else { return }
        self.logger.notice(
            "watched folder is in order again",
            metadata: ["watch.root": "\(root + 1)", "code": "\(problem.rawValue)"]
        )
        self.observer(.mended(root: root + 1, problem))
    }
}

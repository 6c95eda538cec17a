import IDCardCore
import IDCardPipeline
import Logging
import Synchronization

extension FolderWatch {
    /// What was told of a file that could not be put away.
    private struct Told: Hashable {
        var shape: FileShape
        /// Why it is refused; `nil` if its card is durable.
        var reason: ReasonCode?
    }

    /// Whether the same was told of a file before it could not be put away: its turn comes again and again.
    func wasTold(of ready: WatchLedger.Ready, _ reason: ReasonCode?) -> Bool {
        let told = Told(shape: ready.shape, reason: reason)
        return self.state.withLock { $0.ledger.unplaced.contains(ready.file, as: told) }
    }

    /// Puts a file away whose turn it is; if that fails its turn comes again, after waits that grow.
    func finish(
        _ taken: TakenFile,
        as ending: SourceDisposal.Ending,
        _ ready: WatchLedger.Ready,
        isTold: Bool = true
    ) async throws -> WatchLedger.End {
        let result: Result<WatchEvent.Place, SystemFailure> = try await self.work.run {
            do throws(SystemFailure) {
                return .success(try SourceDisposal(file: taken).put(as: ending))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let place):
            let now = self.clock.now()
            self.state.withLock { state in
                state.ledger.unplaced.forget(ready.file)
                if place == .gone { state.waitForName(of: ready.file) } else { state.placed(ready.file, now: now) }
            }
            self.tellOfPlaced(root: ready.file.root)
            if isTold { self.observer(.placed(source: Redacted(taken.source), place)) }
            return place == .gone ? .changed : .gone
        case .failure(let failure):
            var told = Told(shape: ready.shape)
            if case .failed(let note) = ending { told.reason = note.code }
            self.state.withLock { state in
                state.ledger.unplaced.insert(ready.file, as: told)
                // They were out of the way for a moment, which is no news.
                for companion in taken.companions { state.settle(companion, of: taken) }
            }
            let words =
                "a file cannot be put away (\(failure)), though what it says is safe; see to the folders' rights"
            self.tell(.disposalFailed, of: ready.file.root, words)
            let wait = min(self.settings.retryCap, self.settings.retryBase * (1 << min(ready.tries, 20)))
            return .parked(until: self.clock.now() + wait, counts: true)
        }
    }

    /// Tells that all files of a root could be put away, if it was told that one could not.
    func tellOfPlaced(root: Int) {
        guard self.state.withLock({ $0.ledger.unplaced.isEmpty(root: root) }) else { return }
        self.tellMended(.disposalFailed, of: root)
    }

    /// Leaves a file where it is that has no business number since it lies too deep, and tells so once for its root.
    func leaveUnassigned(_ ready: WatchLedger.Ready, _ taken: TakenFile, _ message: String) -> WatchLedger.End {
        self.state.withLock { $0.ledger.unassigned.insert(ready.file, shape: ready.shape) }
        self.tell(.businessNumberMissing, of: ready.file.root, "an image in it stays where it is: \(message)")
        return self.leave(taken)
    }

    /// Tells that no image of a root is left any more that lies too deep, if it was told that one does.
    func tellOfAssigned(root: Int) {
        guard self.state.withLock({ $0.ledger.unassigned.isEmpty(root: root) }) else { return }
        self.tellMended(.businessNumberMissing, of: root)
    }

    /// Leaves a file where it is.
    func leave(_ taken: TakenFile) -> WatchLedger.End {
        self.state.withLock { state in
            for companion in taken.companions { state.settle(companion, of: taken) }
        }
        self.observer(.placed(source: Redacted(taken.source), .left))
        return .settled(taken.shape)
    }
}

extension WatchState {
    /// Notes that what goes with a file is known as it is.
    fileprivate mutating func settle(_ companion: TakenFile.Companion, of taken: TakenFile) {
        let path = WatchedPath(root: taken.root.index, path: taken.path + companion.suffix)
        self.ledger.settled.insert(path, shape: companion.shape)
    }
}

import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import Logging
import Synchronization

extension FolderWatch {
    // MARK: Turns

    /// Returns the file to be taken in next, if one is ready, a place is free and the pipeline has room.
    func nextTurn() async -> WatchLedger.Ready? {
        let now = self.clock.now()
        let mayAsk = self.state.withLock { state in
            !state.isEnding && state.mayTake && state.closedUntil ?? .zero <= now
        }
        guard mayAsk else { return nil }
        let pressure = await self.intake.pressure()
        self.note(pressure)
        guard pressure == .open else { return nil }
        return self.state.withLock { state in
            guard !state.isEnding, let ready = state.ledger.nextReady() else { return nil }
            state.working += 1
            return ready
        }
    }

    private func note(_ pressure: IntakePressure) {
        let now = self.clock.now()
        let hasChanged = self.state.withLock { state -> Bool in
            let wasClosed = state.closedUntil != nil
            switch pressure {
            case .open: state.closedUntil = nil
            case .closed(_, _, let wait): state.closedUntil = now + max(wait, self.settings.retryBase)
            }
            return wasClosed != (state.closedUntil != nil)
        }
        guard hasChanged else { return }
        switch pressure {
        case .open: self.logger.notice("files of watched folders are taken in again")
        case .closed(let reason, _, _):
            self.logger.warning("no files of watched folders are taken in for now", metadata: ["code": "\(reason)"])
        }
        self.observer(.pressure(pressure))
    }

    /// Does what is to be done with a file whose turn it is.
    func handle(_ ready: WatchLedger.Ready) async throws {
        let end: WatchLedger.End
        do {
            end = try await self.process(ready)
        } catch {
            self.ended(ready.file, .untilNextScan)
            throw error
        }
        switch end {
        case .gone: try await self.expectNoMore(ready.file, isGone: true)
        case .settled: try await self.expectNoMore(ready.file, isGone: false)
        case .changed, .putOff, .parked, .untilNextScan: break
        }
        self.ended(ready.file, end)
    }

    private func ended(_ file: WatchedPath, _ end: WatchLedger.End) {
        let now = self.clock.now()
        self.state.withLock { state in
            state.ledger.ended(file, end, now: now)
            state.working -= 1
        }
        self.wake.call()
    }

    private func process(_ ready: WatchLedger.Ready) async throws -> WatchLedger.End {
        let (known, isRecovering) = self.state.withLock { state in
            state.ledger.unassigned.forget(ready.file)
            return (state.roots[ready.file.root], state.recovering == ready.file)
        }
        guard let root = known.root else { return .untilNextScan }
        // What goes with it gets its name back a moment later.
        guard !isRecovering else { return .putOff(until: self.clock.now() + self.settings.retryBase, counts: false) }
        let rule = try await self.sidecarRule(of: root)
        let examiner = FileExaminer(
            settings: self.settings,
            root: root,
            manifest: known.manifest,
            sidecarRule: rule
        )
        let now = self.clock.now()
        switch try await self.work.run({ examiner.examine(ready, now: now) }) {
        case .vanished: return .gone
        case .changed: return .changed
        case .noInput: return .settled(ready.shape)
        case .companion(let image): return self.companion(ready, of: image)
        case .leftBehind(let file, let ending):
            return try await self.finish(file, as: ending, ready, isTold: false)
        case .manifest(let manifest): return self.adopt(manifest, ready)
        case .waitsForManifest(let path):
            self.state.withLock { $0.ledger.expect(path, now: now) }
            return .parked(until: now + self.settings.retryCap, counts: false)
        case .waitsForSidecar(let until, let reason):
            self.observer(.putOff(source: Redacted(root.source(of: ready.file.path)), reason, wait: until - now))
            return .putOff(until: until, counts: false)
        case .waitsForImage(let until): return .putOff(until: until, counts: false)
        case .lateSidecar(let sidecar, let file): return try await self.apply(sidecar, in: file, ready)
        case .unreadable(let message, let taken):
            try await self.expectAsFound(ready.file, in: known)
            return try await self.refuse(ready, taken, Refusal(.sourceUnreadable, message))
        case .unassigned(let message, let taken): return self.leaveUnassigned(ready, taken, message)
        case .refused(let reason, let message, let taken):
            try await self.expectAsFound(ready.file, in: known)
            return try await self.refuse(ready, taken, Refusal(reason, message))
        case .inputs(let items, let taken, let sidecar):
            if let sidecar, let end = try await self.amend(sidecar, source: taken.source) { return end }
            try await self.expectAsFound(ready.file, in: known)
            return try await self.take(items, taken, ready)
        }
    }

    // MARK: What is no image

    private func companion(_ ready: WatchLedger.Ready, of image: WatchedPath) -> WatchLedger.End {
        let now = self.clock.now()
        return self.state.withLock { state in
            // It may be judged with this very companion: that shows when it is done.
            guard !state.ledger.isUnderway(image) else {
                return .putOff(until: now + self.settings.retryBase, counts: false)
            }
            if !state.ledger.settled.contains(ready.file, shape: ready.shape) {
                state.ledger.reconsider(image, now: now)
            }
            return .settled(ready.shape)
        }
    }

    private func adopt(_ manifest: RootManifest, _ ready: WatchLedger.Ready) -> WatchLedger.End {
        let now = self.clock.now()
        let root = ready.file.root
        self.state.withLock { state in
            let known = state.roots[root].manifest
            state.roots[root].manifest = manifest
            guard known?.shape != manifest.shape || known?.problem != manifest.problem else { return }
            // All that was judged without it is judged anew.
            state.ledger.reconsider(root: root, because: ready.file, now: now)
            state.ledger.seeAgain(root: root)
            state.roots[root].nextScan = now
        }
        if let problem = manifest.problem {
            self.tell(.manifestInvalid, of: root, "\(problem); until then nothing is taken from the folder")
            // What is wrong may be mended without a trace in the file's shape, as by a right to read it.
            return .untilNextScan
        }
        self.tellMended(.manifestInvalid, of: root)
        return .settled(manifest.shape)
    }

    // MARK: Taking in

    private func take(
        _ items: [IntakeItem],
        _ taken: TakenFile,
        _ ready: WatchLedger.Ready
    ) async throws -> WatchLedger.End {
        var refusal: Refusal?
        var numbers: Set<BusinessNumber> = []
        for item in items {
            // With several business numbers, those not yet taken in are after the next start.
            guard !self.isEnding else { return .untilNextScan }
            let result: InputResult
            do {
                result = try await self.intake.take(item)
            } catch is CancellationError {
                return .putOff(until: self.clock.now() + self.settings.retryBase, counts: false)
            } catch let error as StoreError where error.concernsOneCard {
                let refusal = Refusal(.storeFailed, error.message)
                return try await self.refuse(ready, taken, refusal, exceptUnder: numbers)
            }
            switch result {
            case .admitted(let card), .duplicate(let card, _):
                numbers.insert(card.metadata.businessNumber)
                if let rejected = self.note(card, of: item, result, ready) { refusal = rejected }
            case .refused(let reason, let message):
                return try await self.refuse(ready, taken, Refusal(reason, message), exceptUnder: numbers)
            case .ignored: return .settled(ready.shape)
            }
        }
        if let refusal { return try await self.fail(taken, refusal, ready) }
        switch self.settings.after {
        case .move: return try await self.finish(taken, as: .done, ready)
        case .delete: return try await self.finish(taken, as: .deleted, ready)
        case .leave: return self.leave(taken)
        }
    }

    /// Tells of a card that is durable; returns why it is rejected, if it is.
    private func note(
        _ card: Card,
        of item: IntakeItem,
        _ result: InputResult,
        _ ready: WatchLedger.Ready
    ) -> Refusal? {
        let refusal: Refusal? =
            card.state == .rejected
            ? Refusal(card.reason ?? .sourceUnreadable, card.message ?? "the card was rejected", card: card.id) : nil
        guard !self.wasTold(of: ready, refusal?.reason) else { return refusal }
        var isDuplicate = false
        if case .duplicate = result { isDuplicate = true }
        let metadata: Logger.Metadata = ["card.id": "\(card.id)", "card.state": "\(card.state.rawValue)"]
        if isDuplicate {
            self.logger.info("known card in a watched folder", metadata: metadata)
        } else {
            self.logger.info("card taken in from a watched folder", metadata: metadata)
        }
        self.observer(.taken(source: item.source, card, isDuplicate: isDuplicate))
        return refusal
    }

    // MARK: Refusals

    private func refuse(
        _ ready: WatchLedger.Ready,
        _ taken: TakenFile?,
        _ refusal: Refusal,
        exceptUnder numbers: Set<BusinessNumber> = []
    ) async throws -> WatchLedger.End {
        // Whoever changes or takes a file away has said enough.
        let file = ready.file
        let shape = try await self.work.run { try? FileShape.of(path: file.path) }
        guard let shape else { return .gone }
        guard shape == ready.shape else { return .changed }
        let wait = refusal.wait(tries: ready.tries, self.settings)
        guard let taken else { return .untilNextScan }
        guard let wait else { return try await self.fail(taken, refusal, ready, exceptUnder: numbers) }
        self.logger.debug("file of a watched folder is tried again", metadata: ["code": "\(refusal.reason)"])
        let source = taken.root.source(of: file.path)
        self.observer(.putOff(source: Redacted(source), refusal.reason, wait: wait))
        return .putOff(until: self.clock.now() + wait, counts: true)
    }

    private func fail(
        _ taken: TakenFile,
        _ refusal: Refusal,
        _ ready: WatchLedger.Ready,
        exceptUnder numbers: Set<BusinessNumber> = []
    ) async throws -> WatchLedger.End {
        // Where there is a card, that says it all.
        if refusal.card == nil { try await self.noteRefusal(of: ready.file, exceptUnder: numbers) }
        if !self.wasTold(of: ready, refusal.reason) { self.tell(refusal, of: taken) }
        guard self.settings.after != .leave else { return self.leave(taken) }
        let note = FailureNote(
            code: refusal.reason,
            message: refusal.message,
            cardID: refusal.card,
            time: Timestamp(.now).description
        )
        return try await self.finish(taken, as: .failed(note), ready)
    }

    private func tell(_ refusal: Refusal, of taken: TakenFile) {
        var metadata: Logger.Metadata = ["watch.root": "\(taken.root.index + 1)", "code": "\(refusal.reason)"]
        if let card = refusal.card { metadata["card.id"] = "\(card)" }
        self.logger.warning("file of a watched folder is refused", metadata: metadata)
        self.observer(
            .refused(
                source: Redacted(taken.source),
                refusal.reason,
                message: refusal.message,
                card: refusal.card
            )
        )
    }
}

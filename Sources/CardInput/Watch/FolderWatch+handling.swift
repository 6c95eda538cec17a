package import CardModel
import SystemPackage

// Handles files whose turn it is, and those whose cards are refused later.
extension FolderWatch {
    /// Carries out the plan for a file whose turn it is.
    func handle(_ file: WatchedFiles.File, _ plan: FileExaminer.Plan) async throws {
        let path = file.candidate.path
        let wasWaiting = self.files[path]?.isWaiting == true
        self.files[path]?.isWaiting = false
        guard let observation = file.observation else { return self.files.examineAgain(path, at: self.now) }
        switch plan {
        case .changed: self.files.examineAgain(path, at: self.now)
        case .companion(let image):
            self.files.forget(path, now: self.now)
            self.files.schedule(image, root: file.root, .left, now: self.now)
        case .leave(let error): self.leaveInPlace(file, error)
        case .refuse(let error): await self.refuse(file, observation, error, card: nil)
        case .admit(let item): try await self.handOver(item, of: file, observation, beside: nil, wasWaiting)
        case .amend(let item, let name): try await self.handOver(item, of: file, observation, beside: name, wasWaiting)
        }
    }

    // MARK: Handing over

    /// - Parameter name: the current name of the photo, if the file is its late sidecar.
    private func handOver(
        _ item: Photo,
        of file: WatchedFiles.File,
        _ observation: FileObservation,
        beside name: String?,
        _ wasWaiting: Bool
    ) async throws {
        // Already admitted in this state; only the archiving failed.
        guard file.admitted != observation else { return await self.finish(file, observation, beside: name) }
        let isYoung = self.now < file.since + self.options.quietTime || observation.sidecars.isUnfinished
        let isLate = name != nil || file.admitted != nil
        let outcome: WatchOutcome
        do {
            outcome = try await self.admit(item, isLate ? .lateSidecar : isYoung ? .young : .complete)
        } catch is CancellationError {
            return self.files.finish(file.candidate.path, isDone: false, now: self.now)
        }
        switch outcome {
        case .admitted:
            self.resume()
            self.files[file.candidate.path]?.admitted = observation
            await self.finish(file, observation, beside: name)
        case .refused(let error, let card):
            self.resume()
            if file.admitted != nil {
                await self.refuseSidecar(of: file, observation, error, card: card)
            } else {
                await self.refuse(file, observation, error, card: card)
            }
        case .waits(let error):
            self.files[file.candidate.path]?.isWaiting = true
            self.files.examineAgain(file.candidate.path, at: self.now + WatchLimits.retry.longest)
            if !wasWaiting { self.report(leftInPlace: file, error) }
        case .later(let error): self.pause(file, error)
        }
    }

    /// Hands over no photo for a while, longer after each failed try.
    private func pause(_ file: WatchedFiles.File, _ error: CodedError) {
        if self.pause == nil { self.report(.paused(error)) }
        self.files.requeue(file.candidate.path)
        let now = self.now
        // Photos handed over at the same time get the same answer; together they lengthen the pause once.
        guard self.pause.map({ $0.until <= now }) ?? true else { return }
        let count = self.pause?.count ?? 0
        self.pause = (now + WatchLimits.wait(tries: count), count + 1)
    }

    private func resume() {
        guard self.pause != nil else { return }
        self.pause = nil
        self.report(.resumed)
    }

    /// Reports a file that is left where it is, once it was unchanged for a while.
    private func leaveInPlace(_ file: WatchedFiles.File, _ error: CodedError) {
        let path = file.candidate.path
        // The photo of a sidecar may come later.
        let wait = error.code == .photoMissing ? WatchLimits.openWait : self.options.quietTime
        guard self.now >= file.since + wait else { return self.files.examineAgain(path, at: file.since + wait) }
        self.reportOnce(leftInPlace: file, error)
        self.files.finish(path, isDone: error.code != .sourceUnreadable, now: self.now)
    }

    private func reportOnce(leftInPlace file: WatchedFiles.File, _ error: CodedError) {
        guard self.files[file.candidate.path]?.isReported == false else { return }
        self.files[file.candidate.path]?.isReported = true
        self.report(leftInPlace: file, error)
    }

    private func report(leftInPlace file: WatchedFiles.File, _ error: CodedError) {
        self.reportLeftInPlace(file.candidate.source, error, in: file.root)
        self.reportLeftInPlaceCount(in: file.root)
    }

    func reportLeftInPlace(_ source: String, _ error: CodedError, in root: Int) {
        self.report(.leftInPlace(name: Redacted(source), folder: Redacted(self.roots[root].given), error))
    }

    func reportLeftInPlaceCount(in root: Int) {
        let count = self.files.leftInPlaceCount(in: root) + self.roots[root].strays.count
        self.report(.leftInPlaceCount(count, folder: Redacted(self.roots[root].given)))
    }

    // MARK: Refusing

    /// Refuses a file, once it was unchanged for a while; tries again first if the error may be temporary.
    private func refuse(_ file: WatchedFiles.File, _ observation: FileObservation, _ error: CodedError, card: CardID?)
        async
    {
        let path = file.candidate.path
        if card == nil {
            guard error.code != .sourceChanged else { return self.tryAgain(file) }
            if observation.sidecars.isUnfinished {
                let unfinished = CodedError(error.code, .input, .watchUnfinished(error.message))
                if self.now >= file.since + WatchLimits.unfinishedWait {
                    self.reportOnce(leftInPlace: file, unfinished)
                }
                return self.files.examineAgain(path, at: self.now + WatchLimits.retry.longest)
            }
            let quietAt = file.since + self.options.quietTime
            // The file may still grow within moments.
            guard self.now >= quietAt else { return self.files.examineAgain(path, at: quietAt) }
            let isDoubtful = error.kind != .input || error.code == .sourceUnreadable
            if isDoubtful, file.tries + 1 < WatchLimits.tries { return self.tryAgain(file) }
        }
        if self.files[path]?.isReported == false {
            self.files[path]?.isReported = true
            self.report(.refused(name: Redacted(file.candidate.source), error, card: card))
        }
        guard self.options.after != .leave else { return self.leave(file) }
        await self.archive(file, observation, as: .failed(self.failureNote(error, card, on: file)))
    }

    /// Refuses the sidecar of a photo that was admitted before and is still there.
    private func refuseSidecar(
        of file: WatchedFiles.File,
        _ observation: FileObservation,
        _ error: CodedError,
        card: CardID?
    ) async {
        let ownName = observation.sidecar?.name ?? observation.name + Sidecar.suffix
        let name = Redacted(FilePath(file.candidate.source).removingLastComponent().appending(ownName).text)
        if self.files[file.candidate.path]?.isReported == false {
            self.files[file.candidate.path]?.isReported = true
            self.report(.refused(name: name, error, card: card))
        }
        guard self.options.after != .leave, let sidecar = observation.sidecar, sidecar.folder == nil else {
            self.files[file.candidate.path]?.admitted = observation
            return await self.finish(file, observation, beside: nil)
        }
        let refusal = self.failureNote(error, card, on: file)
        let step = self.step(file, FileObservation(name: sidecar.name, identity: sidecar.identity))
        let result = try? await self.blocking(in: file.root, grace: WatchLimits.endWait) {
            Result { try step?.archive(as: .failed(refusal)) }
        }
        if let disposition = try? result?.get() { self.report(.placed(name: name, disposition)) }
        // The photo is examined again, also if its sidecar could not be moved.
        self.tryAgain(file)
    }

    /// Schedules another try of a file, later each time.
    func tryAgain(_ file: WatchedFiles.File) {
        self.files.examineAgain(file.candidate.path, at: self.now + WatchLimits.wait(tries: file.tries), isTry: true)
    }

    private func failureNote(_ error: CodedError, _ card: CardID?, on file: WatchedFiles.File) -> FailureNote {
        FailureNote(error, card: card, in: file.candidate.below, time: self.date)
    }

    // MARK: Archiving

    /// Returns the archiving step of a file; `nil` if the watched folder is missing.
    private func step(_ file: WatchedFiles.File, _ observation: FileObservation) -> FileDisposal? {
        self.examiner(of: file.root).map {
            FileDisposal(folder: $0.folder(of: file.candidate), observation: observation)
        }
    }

    private func finish(_ file: WatchedFiles.File, _ observation: FileObservation, beside name: String?) async {
        switch self.options.after {
        case .move: await self.archive(file, observation, as: .done, newName: name.map { $0 + Sidecar.suffix })
        case .delete: await self.archive(file, observation, as: .deleted)
        case .leave: self.leave(file)
        }
    }

    private func leave(_ file: WatchedFiles.File) {
        self.files.finish(file.candidate.path, now: self.now)
        self.report(.placed(name: Redacted(file.candidate.source), .left))
    }

    private func archive(
        _ file: WatchedFiles.File,
        _ observation: FileObservation,
        as ending: FileDisposal.Ending,
        newName: String? = nil
    ) async {
        let path = file.candidate.path
        // The folder may have been moved or removed meanwhile.
        guard var step = self.step(file, observation) else { return self.files.forget(path, now: self.now) }
        step.newName = newName
        let result = try? await self.blocking(in: file.root, grace: WatchLimits.endWait) { [step] in
            Result { try step.archive(as: ending) }
        }
        switch result {
        // The watch ends; the next start finds the file again, or in its archive.
        case nil: self.files.finish(path, isDone: false, now: self.now)
        case .success(let disposition?):
            self.files.forget(path, now: self.now)
            self.clearUnplaced(path, root: file.root)
            self.roots[file.root].emptied.insert(path.removingLastComponent())
            self.report(.placed(name: Redacted(file.candidate.source), disposition))
        case .success(nil):
            self.files.examineAgain(path, at: self.now)
            self.clearUnplaced(path, root: file.root)
        case .failure(let error):
            self.roots[file.root].unplaced.insert(path)
            let cause: Message =
                (error as? CodedError)?.message ?? .textSystemError((error as? Errno ?? .ioError).rawValue)
            let message: Message = ending == .deleted ? .watchCannotDelete(cause) : .watchCannotMove(cause)
            self.report(CodedError(.archivingFailed, .storage, message), of: file.root)
            self.tryAgain(file)
        }
    }

    /// Reports that archiving works again, once no file of the folder is left that could not be archived.
    private func clearUnplaced(_ path: FilePath, root: Int) {
        guard self.roots[root].unplaced.remove(path) != nil, self.roots[root].unplaced.isEmpty else { return }
        self.mend(.archivingFailed, of: root)
    }

    // MARK: Photos whose cards are refused later

    /// Writes notes beside the archived photo of a refused card.
    ///
    /// A photo that was renamed, changed or removed gets no note. A note that cannot be written is due again at the next start.
    ///
    /// - Parameters:
    ///   - files: the files that the card was imported from.
    ///   - moving: whether the photo is moved from `done` to `failed` with its note.
    package func writeNote(_ error: CodedError, card: CardID, beside files: [FileIdentity], moving: Bool) async {
        guard self.options.after == .move else { return }
        let refusal = FailureNote(error, card: card, in: [], time: self.date)
        let text = "\(error.code.rawValue)\n\(error.message.withoutPersonalValues.text())\n"
        let suffixes = self.options.companionSuffixes
        for (index, folder) in self.options.folders.enumerated() where self.roots[index].isAtHand {
            let writing = Task {
                try await self.blocking(in: index, grace: WatchLimits.endWait) {
                    for file in files { Self.write(refusal, text, beside: file, in: folder, suffixes, moving: moving) }
                }
            }
            // A folder that does not answer delays the notes in others only for a moment.
            writing.cancel()
            try? await writing.value
        }
    }

    /// Writes a note beside a photo in `done`, or moves the photo with the note to `failed`.
    private static func write(
        _ note: FailureNote,
        _ text: String,
        beside file: FileIdentity,
        in folder: String,
        _ suffixes: [String],
        moving: Bool
    ) {
        let parts = FilePath(file.path.reveal()).components.filter { $0.kind == .regular }.map(\.text)
        let names = NumberedName(parts.last ?? "", leavingRoomFor: FileDisposal.room(suffixes))
        // How much of the path is below the folder depends on how the folder was named at the admission.
        for depth in parts.indices {
            guard let root = try? FilePath(folder).real(),
                let done = try? OpenFolder(root).entering(["done"] + parts.dropLast().suffix(depth)),
                let name = try? names.name(of: file, in: done)
            else { continue }
            if moving {
                let photoFolder = PhotoFolder(root: root, below: parts.dropLast().suffix(depth), suffixes: suffixes)
                try? FileDisposal.fail(name, of: file, from: done, in: photoFolder, note)
            } else {
                try? note.write(text, beside: name, in: done)
            }
        }
    }

    // MARK: Problems

    /// Reports a problem, once until it is solved.
    func report(_ error: CodedError, of root: Int, as code: ReasonCode? = nil) {
        guard self.roots[root].problems.insert(code ?? error.code).inserted else { return }
        self.report(.problem(folder: Redacted(self.roots[root].given), error))
    }

    /// Reports a problem; without an error, reports that it is solved.
    func report(_ error: CodedError?, orResolve code: ReasonCode, of root: Int) {
        if let error { self.report(error, of: root) } else { self.mend(code, of: root) }
    }

    /// Reports that a problem is solved, if it was reported.
    func mend(_ code: ReasonCode, of root: Int) {
        guard self.roots[root].problems.remove(code) != nil else { return }
        self.report(.mended(folder: Redacted(self.roots[root].given), code))
    }
}

extension NumberedName {
    /// Returns which of these names a file has; there may be gaps, since operators may have removed files.
    fileprivate func name(of file: FileIdentity, in folder: borrowing OpenFolder) throws(Errno) -> String? {
        var (number, last) = (1, WatchLimits.missingNames)
        while number <= last {
            if try folder.holds(file, as: self[number]) { return self[number] }
            if try folder.status(of: self[number]) != nil { last = number + WatchLimits.missingNames }
            number += 1
        }
        return nil
    }
}

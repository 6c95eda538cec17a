import Glibc
import IDCardCore
import IDCardPipeline
import Synchronization

/// What the pipeline was told of a file that is yet to be taken in, or that was refused and stays where it is.
struct ExpectedFile: Sendable {
    /// The place of its root in the list.
    var root: Int
    /// The file, once for each business number.
    var inputs: [AwaitedInput]
    /// The business numbers for which it is a back, as its metadata says: refused, it is no front.
    var backs: Set<BusinessNumber>
    /// Whether it was refused: then it counts until it is gone, or taken in after all.
    var isRefused = false
}

// Backs wait for fronts that are seen and not taken in yet, whichever process decides on them.
extension FolderWatch {
    private static let expectedAtATime = 500

    /// Tells the pipeline of the files that were seen since, before any of them is taken in.
    func expectSeenFiles() async throws {
        while !self.isEnding {
            let (files, roots) = self.state.withLock { state in
                (state.ledger.takeSeen(limit: Self.expectedAtATime), state.roots)
            }
            guard !files.isEmpty else { break }
            try await self.tell(
                of: try await self.work.run {
                    files.compactMap { file in self.expected(file, in: roots[file.root]).map { (file, $0) } }
                }
            )
        }
        try await self.expectNothingElse()
    }

    /// Tells the pipeline under which business numbers a file is about to be taken in or refused, where its sidecar or the
    /// manifest says so only now.
    func expectAsFound(_ file: WatchedPath, in root: WatchState.Root) async throws {
        let found = try await self.work.run { self.expected(file, in: root) }
        if let found { try await self.tell(of: [(file, found)]) }
    }

    /// Tells the pipeline of files, as far as it does not know of them.
    private func tell(of files: [(WatchedPath, ExpectedFile)]) async throws {
        let (new, over) = self.state.withLock { state in
            var (new, over): ([AwaitedInput], [AwaitedInput]) = ([], [])
            for (file, expected) in files where state.ledger.holds(file) {
                let known = state.expected[file.key]?.inputs ?? []
                new += expected.inputs.filter { !known.contains($0) }
                // The store tells inputs apart by number and path alone: one that was refused before is still there.
                let numbers = Set(expected.inputs.map(\.businessNumber))
                over += known.filter { !numbers.contains($0.businessNumber) }
            }
            return (new, over)
        }
        let isTold = try await self.whenThereIsRoom {
            if !new.isEmpty { try await self.intake.expect(new) }
            if !over.isEmpty { try await self.intake.expectNoMore(over) }
        }
        guard isTold else { return }
        self.state.withLock { state in
            for (file, expected) in files where state.ledger.holds(file) { state.expected[file.key] = expected }
        }
    }

    private func expected(_ file: WatchedPath, in root: WatchState.Root) -> ExpectedFile? {
        guard let place = root.root else { return nil }
        let examiner = FileExaminer(
            settings: self.settings,
            root: place,
            manifest: root.manifest,
            // What is expected does not hang on it.
            sidecarRule: .optional
        )
        let inputs = examiner.inputsToExpect(of: file.path)
        guard !inputs.isEmpty else { return nil }
        return ExpectedFile(
            root: file.root,
            inputs: inputs.map { number, _ in
                AwaitedInput(
                    businessNumber: number,
                    path: Redacted(file.path),
                    source: .watched(Redacted(place.path))
                )
            },
            backs: Set(inputs.filter { $0.side == .back }.map(\.number))
        )
    }

    /// Once a root was looked through: what a former watch expected there and this one has not found comes no more, nor
    /// does what has gone since.
    private func expectNothingElse() async throws {
        while let root = self.state.withLock({ $0.lookedThrough.popFirst() }) {
            let known = self.state.withLock { $0.roots[root] }
            guard let place = known.root else { continue }
            // Until the manifest is read it may name more.
            let awaitsManifest = try await self.work.run {
                FileExaminer.awaitsManifest(known.manifest, of: place, self.settings)
            }
            let isFirst = !known.hasToldAll && !awaitsManifest
            let absent = self.state.withLock { state in
                state.expected.filter { $0.value.root == root && !state.ledger.holds($0.key) }
            }
            let gone = try await self.work.run { absent.filter { !$0.value.isRefused || !$0.value.isThere } }
            let expected = self.state.withLock { state in
                state.expected.values.filter { $0.root == root }.flatMap(\.inputs)
            }
            let isTold = try await self.whenThereIsRoom {
                if !gone.isEmpty { try await self.intake.expectNoMore(gone.values.flatMap(\.inputs)) }
                guard isFirst else { return }
                try await self.intake.expectAgain(expected, of: .watched(Redacted(place.path)))
            }
            guard isTold else { continue }
            self.state.withLock { state in
                if isFirst { state.roots[root].hasToldAll = true }
                for key in gone.keys where !state.ledger.holds(key) { state.expected[key] = nil }
            }
        }
    }

    /// Tells the pipeline that a file was refused for good: it may have been a front.
    ///
    /// - Parameter taken: the business numbers under which it was taken in before.
    func noteRefusal(of file: WatchedPath, exceptUnder taken: Set<BusinessNumber>) async throws {
        guard var expected = self.state.withLock({ $0.expected[file.key] }) else { return }
        let isLeft = self.settings.after == .leave
        let backs = expected.backs
        let isOver = { (input: AwaitedInput) in
            backs.contains(input.businessNumber) || taken.contains(input.businessNumber)
        }
        let over = expected.inputs.filter(isOver)
        expected.inputs = expected.inputs.filter { !isOver($0) }.map { input in
            // Put away, it is looked for no more where it was found: only taking it in ends this.
            AwaitedInput(
                businessNumber: input.businessNumber,
                path: input.path,
                source: isLeft ? input.source : .named,
                isRefused: true
            )
        }
        expected.isRefused = true
        let refused = expected
        let isTold = try await self.whenThereIsRoom {
            if !refused.inputs.isEmpty { try await self.intake.expect(refused.inputs) }
            if !over.isEmpty { try await self.intake.expectNoMore(over) }
        }
        if isTold { self.state.withLock { $0.expected[file.key] = isLeft ? refused : nil } }
    }

    /// Tells the pipeline that a file is dealt with.
    ///
    /// - Parameter isGone: whether it is not there any more.
    func expectNoMore(_ file: WatchedPath, isGone: Bool) async throws {
        guard let expected = self.state.withLock({ $0.expected[file.key] }), isGone || !expected.isRefused else {
            return
        }
        let isTold = try await self.whenThereIsRoom { try await self.intake.expectNoMore(expected.inputs) }
        if isTold { self.state.withLock { $0.expected[file.key] = nil } }
    }

    /// - Returns: `false` on a full disk: nothing is taken in there either, and the next scan tells again.
    private func whenThereIsRoom(_ tell: () async throws -> Void) async throws -> Bool {
        do {
            try await tell()
            return true
        } catch let error as StoreError where error.code == .diskFull {
            return false
        }
    }
}

extension ExpectedFile {
    /// Whether the file is on the disk; blocks.
    fileprivate var isThere: Bool {
        var status = stat()
        return self.inputs.contains { lstat($0.path.reveal(), &status) == 0 || errno != ENOENT }
    }
}

extension FileExaminer {
    /// Under which business numbers a file that was seen will be taken in, and as which side, as far as that is known now.
    func inputsToExpect(of path: String) -> [(number: BusinessNumber, side: CardSide?)] {
        let rows = self.manifest?.rows(for: path) ?? []
        guard self.settings.inputs.isImageName(PathText.name(of: path)) || !rows.isEmpty else { return [] }
        let resolver = MetadataResolver(self.settings.inputs)
        let candidate = self.candidate(path)
        var inputs: [(number: BusinessNumber, side: CardSide?)] = []
        for row in rows.isEmpty ? [nil] : rows.map(Optional.some) {
            switch resolver.decision(of: candidate, row: row).disposition {
            case .take(let metadata): inputs.append((metadata.businessNumber, metadata.side))
            case .refuse(_, _, let number?): inputs.append((number, nil))
            case .refuse, .ignore: continue
            }
        }
        return inputs
    }
}

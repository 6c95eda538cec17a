import IDCardCore
import IDCardPipeline
import Synchronization

/// What the pipeline was told of a file that is yet to be taken in.
struct ExpectedFile: Sendable {
    /// The place of its root in the list.
    var root: Int
    /// The file, once for each business number.
    var inputs: [AwaitedInput]
    /// The business numbers for which it is a back, as its metadata says: refused, it is no front.
    var backs: Set<BusinessNumber>
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
            let found = try await self.work.run {
                files.compactMap { file in self.expected(file, in: roots[file.root]).map { (file, $0) } }
            }
            let inputs = self.state.withLock { state in
                let present = found.filter { state.ledger.holds($0.0) }
                for (file, expected) in present { state.expected[file.key] = expected }
                return present.flatMap(\.1.inputs)
            }
            if !inputs.isEmpty { try await self.whereThereIsRoom { try await self.intake.expect(inputs) } }
        }
        try await self.expectNothingElse()
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
            let (path, isFirst, gone, expected) = self.state.withLock { state in
                let gone = state.expected.filter { $0.value.root == root && !state.ledger.holds($0.key) }
                for key in gone.keys { state.expected[key] = nil }
                defer { state.roots[root].hasToldAll = true }
                return (
                    state.roots[root].root?.path, !state.roots[root].hasToldAll, gone.values.flatMap(\.inputs),
                    state.expected.values.filter { $0.root == root }.flatMap(\.inputs)
                )
            }
            guard let path else { continue }
            try await self.whereThereIsRoom {
                if !gone.isEmpty { try await self.intake.expectNoMore(gone) }
                guard isFirst else { return }
                try await self.intake.expectAgain(expected, of: .watched(Redacted(path)))
            }
        }
    }

    /// Tells the pipeline that a file was refused for good: it may have been a front.
    func noteRefusal(of file: WatchedPath) async throws {
        guard let expected = self.state.withLock({ $0.expected.removeValue(forKey: file.key) }) else { return }
        // Looked for no more where it was found: it is put away, and only taking it in ends this.
        let refused = expected.inputs.filter { !expected.backs.contains($0.businessNumber) }.map { input in
            AwaitedInput(businessNumber: input.businessNumber, path: input.path, source: .named, isRefused: true)
        }
        let backs = expected.inputs.filter { expected.backs.contains($0.businessNumber) }
        try await self.whereThereIsRoom {
            if !refused.isEmpty { try await self.intake.expect(refused) }
            if !backs.isEmpty { try await self.intake.expectNoMore(backs) }
        }
    }

    /// Tells the pipeline that a file is dealt with.
    func expectNoMore(_ file: WatchedPath) async throws {
        guard let expected = self.state.withLock({ $0.expected.removeValue(forKey: file.key) }) else { return }
        try await self.whereThereIsRoom { try await self.intake.expectNoMore(expected.inputs) }
    }

    private func whereThereIsRoom(_ tell: () async throws -> Void) async throws {
        do {
            try await tell()
        } catch let error as StoreError where error.code == .diskFull {
            // Nothing is taken in on a full disk either; `delivery.front_wait` still holds for what was.
        }
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

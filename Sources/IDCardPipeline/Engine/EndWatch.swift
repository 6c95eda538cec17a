import IDCardCore

/// Finds out when a batch is over: nothing of its own is runnable within the patience, counted from the last time a card
/// moved, and nothing it waits for is in the hands of others.
///
/// What another process has leased may come back any moment, unfinished: it dies, is stopped, or puts the work off. A batch
/// that ended at once would leave its own cards behind for that; one that waited on would never end beside a service. So
/// it looks again every few seconds, for as long as its patience lasts.
struct EndWatch: Sendable {
    let context: StageContext
    /// The business numbers that the batch is about; `nil` for all.
    private let numbers: Set<BusinessNumber>?
    /// The states before preparation that the loops work on.
    private let receptionStates: [CardState]

    /// Watches over a batch of some inputs; without any it is about all that is in the store.
    ///
    /// - Parameter fetches: whether images named by URL are fetched; else such cards wait, and nobody for them.
    init(context: StageContext, items: IntakeList, fetches: Bool) {
        self.context = context
        self.receptionStates = fetches ? [.fetching, .received] : [.received]
        var numbers: Set<BusinessNumber> = []
        for index in items.indices {
            if case .take(let metadata) = items.disposition(at: index) { numbers.insert(metadata.businessNumber) }
        }
        self.numbers = items.isEmpty ? nil : numbers
    }

    /// Waits for the end; `nil` if the task is cancelled before.
    func run() async throws -> BatchEnding? {
        var before: Set<BusinessNumber> = []
        var settled: Set<BusinessNumber> = []
        while !Task.isCancelled {
            await self.context.board.waitUntilQuiet(time: self.context.time)
            guard !Task.isCancelled else { return nil }
            let others = try await self.leasedElsewhere()
            let lastChange = self.context.monitor.lastChangeAt
            // Asked again, as of one instant: a backoff may have fallen due since, or the clock may have gone back.
            guard case .quiet(let nextDue) = self.context.board.activity,
                lastChange == self.context.monitor.lastChangeAt
            else { continue }
            let freed = before.subtracting(others)
            before = others
            guard freed.isEmpty else {
                // Given back since the loops last looked.
                self.lookAgain(at: freed)
                continue
            }
            let now = self.context.time.now()
            let deadline = lastChange.advanced(by: self.context.settings.patience)
            let nextLook = now.advanced(by: self.context.settings.takeBackInterval)
            if let due = nextDue, due <= deadline, now < deadline || due <= now {
                let next = others.isEmpty ? due : min(due, nextLook)
                await self.context.board.waitUntilBusy(or: next, time: self.context.time)
                if !others.isEmpty { self.lookAgain(at: others) }
            } else if !others.isEmpty {
                guard now < deadline else { return nextDue == nil ? .leftToOthers : .patienceExhausted }
                await self.context.board.waitUntilBusy(or: min(nextLook, deadline), time: self.context.time)
                self.lookAgain(at: others)
            } else if nextDue != nil {
                return .patienceExhausted
            } else {
                // Verified by others, maybe, since the rules last looked; each is looked at once more.
                let verified = try await self.verified().subtracting(settled)
                settled.formUnion(verified)
                guard try await self.isWorkLeft() || !verified.isEmpty else { return .complete }
                self.lookAgain(at: verified)
            }
        }
        return nil
    }

    private func leasedElsewhere() async throws -> Set<BusinessNumber> {
        let others = try await self.context.store.applicationsLeasedElsewhere()
        return self.numbers.map(others.intersection) ?? others
    }

    private func verified() async throws -> Set<BusinessNumber> {
        let verified = Set(try await self.context.store.applicationsWithVerifiedCards())
        return self.numbers.map(verified.intersection) ?? verified
    }

    /// Whether there is work that the loops have not seen: others gave it back between their look and ours.
    private func isWorkLeft() async throws -> Bool {
        for stage in [Stage.verify, .deliver] where try await self.context.store.nextDue(for: stage) != nil {
            return true
        }
        for state in self.receptionStates where try await self.context.store.nextDue(in: state) != nil { return true }
        return false
    }

    /// Has the loops look at the store again, and the rules at some business numbers.
    private func lookAgain(at numbers: Set<BusinessNumber>) {
        for number in numbers { self.context.applications.touch(number) }
        self.context.board.announce(.fetch, .prepare, .verify, .settle, .deliver)
    }
}

import IDCardCore
import Logging

extension Engine: CardIntake {
    /// Works until the end is requested: everything in the store goes its way, and what is taken in meanwhile.
    ///
    /// When it returns, nothing that was taken in is under way any more, and all leases are handed back.
    ///
    /// - Throws: `StoreError` if the store fails; `CancellationError` if the task is cancelled.
    package func runService(until shutdown: Shutdown) async throws {
        _ = try await self.run(nil, until: shutdown)
    }

    package func announce(_ items: IntakeList) async throws -> IntakeAnnouncement {
        let announcer = self.intake.announcer(of: items)
        try await announcer.announce(expected: try await self.intake.inputsToExpect(of: items))
        // What was refused before and is found no more may have let cards go.
        try await self.decideAgain()
        return IntakeAnnouncement { item, result in
            try await announcer.arrived(item, as: result)
            guard case .take(let metadata) = item.disposition else { return }
            self.decideAgain(on: [metadata.businessNumber])
        }
    }

    package func expect(_ inputs: [AwaitedInput]) async throws {
        try await self.context.store.add(inputs, now: self.context.time.now())
        self.decideAgain(on: inputs.map(\.businessNumber))
    }

    package func expectNoMore(_ inputs: [AwaitedInput]) async throws {
        try await self.context.store.end(inputs)
        self.decideAgain(on: inputs.map(\.businessNumber))
    }

    package func expectAgain(_ inputs: [AwaitedInput], of source: InputSource) async throws {
        try await self.context.store.announce(inputs, foundIn: [source], now: self.context.time.now())
        try await self.decideAgain()
    }

    private func decideAgain() async throws {
        self.decideAgain(on: try await self.context.store.applicationsWithVerifiedCards())
    }

    private func decideAgain(on numbers: [BusinessNumber]) {
        for number in numbers { self.context.applications.touch(number) }
        self.context.board.announce(.verify, .settle)
    }

    package func take(_ item: IntakeItem) async throws -> InputResult {
        switch item.disposition {
        case .ignore: return .ignored
        case .refuse(let reason, let message, _): return .refused(reason, message: message)
        case .take(let metadata):
            try self.context.board.beginTaking()
            defer { self.context.board.endTaking() }
            self.context.applications.expect(metadata.businessNumber)
            let result: InputResult
            do {
                result = try await self.intake.take(item, metadata: metadata)
            } catch {
                self.context.arrived(nil, under: metadata.businessNumber)
                throw error
            }
            self.context.arrived(result, under: metadata.businessNumber)
            return result
        }
    }

    package func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? {
        self.intake.addresses.refusal(of: address)
    }

    package func receive(_ reception: Reception) async throws -> ReceptionOutcome {
        let now = self.context.time.now()
        let id = self.context.random.draw { CardID.generate(at: now, using: &$0) }
        let outcome: ReceptionOutcome
        do {
            outcome = try await self.context.store.receive(reception, as: id, now: now)
        } catch let error as StoreError where error.code == .diskFull {
            self.context.space.failed(error.message)
            throw error
        }
        if case .admitted(let card) = outcome {
            self.context.space.succeeded()
            self.context.logger.debug(
                "card received",
                metadata: ["card.id": "\(card.id)", "card.state": "\(card.state.rawValue)"]
            )
            self.context.monitor.changed(card)
        }
        // Also a known card: what its sender says now may have it judged again.
        self.context.applications.touch(reception.metadata.businessNumber)
        self.context.board.announce(.fetch, .prepare, .verify, .settle)
        return outcome
    }

    package func pressure() async -> IntakePressure {
        guard !self.context.board.isDraining else {
            return .closed(.shuttingDown, message: "the service is coming to its end", retryAfter: .seconds(5))
        }
        let space = await self.context.space.look()
        guard space.allowsIntake else {
            let message = space.message ?? "the disk of the sandbox is nearly full"
            return .closed(.diskSpaceLow, message: message, retryAfter: .seconds(10))
        }
        return await self.context.queue.pressure()
    }

    /// Has all stages look at the store again: somebody has changed it beside the engine.
    package func lookForWork() {
        self.context.board.announce(.fetch, .prepare, .verify, .settle, .deliver)
    }
}

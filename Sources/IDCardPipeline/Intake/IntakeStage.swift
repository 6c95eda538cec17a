import Foundation
import IDCardCore
import Logging

/// Takes inputs in: recognises what is known, reads and digests the rest, prepares the image, makes the card durable.
struct IntakeStage: Sendable {
    /// What makes two inputs the same card.
    struct ContentKey: Hashable, Sendable {
        var digest: ContentDigest
        var businessNumber: BusinessNumber
    }

    let context: StageContext
    let preparation: NotedPreparation
    let pool: any BlockingWork
    let addresses: AddressIntake
    /// Shared by all inputs.
    let room = IntakeRoom()
    /// Equal inputs under way at once are prepared once.
    let underway = KeyedExclusion<ContentKey>()

    /// Announces all inputs to the rules, before any of them is taken in.
    func expect(_ items: [IntakeItem]) {
        for item in items {
            switch item.disposition {
            case .take(let metadata): self.context.applications.expect(metadata.businessNumber)
            case .refuse(_, _, let number?): self.context.applications.refused(number)
            case .refuse, .ignore: continue
            }
        }
    }

    /// Takes all inputs in, a bounded number at a time, in their order; stops between two of them when the board drains.
    func run(_ items: [IntakeItem]) async throws {
        self.context.monitor.report(.intakeStarted(inputs: items.count))
        let firstOrder = try await self.context.store.reserveIntakeOrders(items.count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, item) in items.enumerated() {
                try Task.checkCancellation()
                if index >= self.context.settings.prepareConcurrency { try await group.next() }
                guard !self.context.board.isDraining else { break }
                group.addTask { try await self.take(item, index: index, order: firstOrder + Int64(index)) }
            }
            // Not `waitForAll`: that waits for those that wait for room, too, when one has thrown.
            for try await _ in group {}
        }
        // With inputs left, the rules must not decide as if none would come any more.
        guard !self.context.board.isDraining else { return }
        // In this order: a card verified meanwhile is either found by the query, or decided on with the flag set.
        self.context.board.inputsAreIn()
        for number in try await self.context.store.applicationsWithVerifiedCards() {
            self.context.applications.touch(number)
        }
        self.context.board.endIntake(announcing: .settle)
    }

    private func take(_ item: IntakeItem, index: Int, order: Int64) async throws {
        switch item.disposition {
        case .ignore:
            self.context.monitor.report(.input(index: index, .ignored))
        case .refuse(let reason, let message, _):
            self.context.monitor.report(.input(index: index, .refused(reason, message: message)))
        case .take(let metadata):
            guard let result = try await self.resultUnlessDraining(of: item, metadata: metadata, order: order) else {
                return
            }
            self.context.monitor.report(.input(index: index, result))
            // Before it counts as arrived: between the two a back would find neither its front nor what became of it.
            if case .refused = result, metadata.side != .back {
                self.context.applications.refused(metadata.businessNumber)
            }
            self.context.applications.arrived(metadata.businessNumber)
            self.context.applications.touch(metadata.businessNumber)
            self.context.board.announce(.verify, .settle)
        }
    }

    /// Takes one file in for a service: its place in the intake order is drawn when it proves to be new, and where there
    /// is no room it is refused at once.
    func take(_ item: IntakeItem, metadata: CardMetadata) async throws -> InputResult {
        try await self.result(of: item, metadata: metadata, order: nil)
    }

    /// What came of an input; `nil` if it was dropped without a trace because the engine is asked to end.
    private func resultUnlessDraining(
        of item: IntakeItem,
        metadata: CardMetadata,
        order: Int64
    ) async throws -> InputResult? {
        do {
            return try await self.result(of: item, metadata: metadata, order: order)
        } catch is CancellationError where self.context.board.isDraining {
            return nil
        }
    }

    private func result(of item: IntakeItem, metadata: CardMetadata, order: Int64?) async throws -> InputResult {
        if let address = item.address {
            return try await self.whenThereIsRoom(waits: order != nil) {
                try await self.addresses.take(address, metadata: metadata, order: order)
            }
        }
        let (path, expected) = (item.path, item.expected)
        do {
            let identity = try await self.pool.run { try SourceFile(path: path.reveal(), expected: expected).identity }
            if let card = try await self.context.store.card(ofFile: identity, businessNumber: metadata.businessNumber) {
                return .duplicate(try await self.context.updated(card, with: metadata), wasRead: false)
            }
            return try await self.whenThereIsRoom(waits: order != nil) {
                try await self.readAndAdmit(item, metadata: metadata, order: order)
            }
        } catch let failure as SourceFile.Failure {
            return .refused(failure.reason, message: failure.message)
        }
    }

    private func readAndAdmit(
        _ item: IntakeItem,
        metadata: CardMetadata,
        order: Int64?
    ) async throws -> InputResult {
        let limit = self.context.settings.maximumSourceBytes
        let (path, expected) = (item.path, item.expected)
        let (identity, source, digest) = try await self.pool.run {
            let file = try SourceFile(path: path.reveal(), expected: expected)
            let source = try file.read(limit: limit)
            return (file.identity, source, ContentDigest(of: source))
        }
        let key = ContentKey(digest: digest, businessNumber: metadata.businessNumber)
        return try await self.underway.run(under: key) {
            // The wait for the key is not cut short: what was cancelled meanwhile ends here, before it decodes anything.
            try Task.checkCancellation()
            let now = self.context.time.now()
            if let card = try await self.context.store.recognise(digest, metadata: metadata, file: identity, now: now) {
                return .duplicate(card, wasRead: true)
            }
            try self.context.board.checkMayBegin()
            let place: Int64
            if let order { place = order } else { place = try await self.context.store.reserveIntakeOrders(1) }
            let outcome = try await self.preparation.prepare(source, digest)
            if case .unavailable(let reason, let message) = outcome { return .refused(reason, message: message) }
            return try await self.admit(outcome, metadata: metadata, digest: digest, file: identity, order: place)
        }
    }

    private func admit(
        _ outcome: ImagePreparation.Outcome,
        metadata: CardMetadata,
        digest: ContentDigest,
        file: FileIdentity,
        order: Int64
    ) async throws -> InputResult {
        let now = self.context.time.now()
        let content: Admission.Content =
            switch outcome {
            case .prepared(let image): .prepared(image)
            case .refused(let reason, let message), .unavailable(let reason, let message):
                .refused(reason, message: message)
            }
        let admission = Admission(
            id: self.context.random.draw { CardID.generate(at: now, using: &$0) },
            metadata: metadata,
            sourceDigest: digest,
            file: file,
            intakeOrder: order,
            content: content
        )
        switch try await self.context.store.admit(admission, now: now) {
        case .admitted(let card):
            self.context.logger.debug(
                "card admitted",
                metadata: ["card.id": "\(card.id)", "card.state": "\(card.state.rawValue)"]
            )
            self.context.monitor.changed(card)
            return .admitted(card)
        case .duplicate(let card):
            return .duplicate(card, wasRead: true)
        }
    }
}

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
    /// Places for images that are read and decoded.
    let decoding: WorkPlaces
    /// What they are read into.
    let buffers: SourceBuffers
    /// Shared by all inputs.
    let room = IntakeRoom()
    /// Equal inputs under way at once are prepared once.
    let underway = KeyedExclusion<ContentKey>()

    /// Announces all inputs of a batch to the rules of this process, before any of them is taken in.
    func expect(_ items: IntakeList) {
        for index in items.indices {
            switch items.disposition(at: index) {
            case .take(let metadata):
                self.context.applications.expect(metadata.businessNumber)
                self.context.applications.addToBatch(metadata.businessNumber)
            case .refuse(_, _, let number?): self.context.applications.addToBatch(number)
            case .refuse, .ignore: continue
            }
        }
    }

    /// Tells the store of the inputs of a list.
    func announcer(of items: IntakeList) -> InputAnnouncer {
        InputAnnouncer(items, store: self.context.store, time: self.context.time)
    }

    /// The places, from one on, of the inputs of which no card was made: new ones, and those that cannot be opened.
    func inputsToExpect(of items: IntakeList, from start: Int = 0) async throws -> [Int] {
        var (places, next) = ([Int](), start)
        while next < items.count {
            let end = min(next + Self.lookAhead.upperBound, items.count)
            for (index, (item, standing)) in zip(next..., try await self.lookUp(items[next..<end])) {
                // What the list itself refuses is told of apart.
                if case .take = item.disposition, standing.card == nil { places.append(index) }
            }
            next = end
        }
        return places
    }

    /// Takes all inputs in, a bounded number at a time, in their order; stops between two of them when the board drains.
    func run(_ items: IntakeList, announcedBy announcer: InputAnnouncer) async throws {
        self.context.monitor.report(.intakeStarted(inputs: items.count))
        // Not before one may be new: a run over known files writes nothing.
        var firstOrder: Int64?
        var expected: Set<Int> = []
        var refused: [Int] = []
        let mayBeAwaited = try await self.context.store.awaitsInputs()
        // The cards of which an input says something else than they do.
        var changing: Set<CardID> = []
        try await withThrowingTaskGroup(of: Void.self) { group in
            var underWay = 0
            var lookAhead = Self.lookAhead.lowerBound
            var (start, next) = (0, try await self.lookUp(items[..<min(lookAhead, items.count)]))
            while !next.isEmpty, !self.context.board.isDraining {
                let end = start + next.count
                lookAhead = Self.lookAhead(after: next.map(\.1), of: lookAhead)
                let upcoming = items[end..<min(end + lookAhead, items.count)]
                async let following = self.lookUp(upcoming)
                if mayBeAwaited { try await announcer.areKnown(next.filter { $0.1.card != nil }.map(\.0)) }
                for (index, (item, standing)) in zip(start..., next) {
                    try Task.checkCancellation()
                    guard !self.context.board.isDraining else { break }
                    var batch = InBatch(index, isExpected: expected.contains(index), announcer)
                    if case .settled(let result) = standing, !(result.cardID.map(changing.contains) ?? false) {
                        try await self.report(result, of: item, in: batch)
                        if firstOrder == nil, result.isRefusal { refused.append(index) }
                        continue
                    }
                    if let card = standing.card, !changing.insert(card).inserted {
                        // It was looked at before what an earlier input says of the card was written; of those that are
                        // known by their attributes, the last one counts.
                        while underWay > 0 {
                            try await group.next()
                            underWay -= 1
                        }
                        guard !self.context.board.isDraining else { break }
                    }
                    if firstOrder == nil, standing.mayBeNew {
                        // Durable before the first of them is: whatever becomes of this process, its backs wait.
                        let places = try await self.inputsToExpect(of: items, from: index)
                        try await announcer.announce(expected: places, refused: refused)
                        expected = Set(places)
                        firstOrder = try await self.context.store.reserveIntakeOrders(items.count)
                    }
                    if underWay >= self.width { try await group.next() } else { underWay += 1 }
                    // Here, so that they are read in their order.
                    let place = standing == .new ? await self.decoding.take() : nil
                    batch.order = standing.mayBeNew ? firstOrder.map { $0 + Int64(index) } : nil
                    (batch.isNew, batch.decoding) = (standing == .new, place)
                    group.addTask { [batch] in try await self.take(item, in: batch) }
                }
                // What the next look finds, be it an error, is of no use to a run that ends.
                guard !self.context.board.isDraining else { break }
                (start, next) = (end, try await following)
            }
            // Not `waitForAll`: that waits for those that wait for room, too, when one has thrown.
            for try await _ in group {}
        }
        // With inputs left, the rules must not decide as if none would come any more.
        guard !self.context.board.isDraining else { return }
        if firstOrder == nil { try await announcer.announce(expected: [], refused: refused) }
        try await self.end()
    }

    /// Lets the rules decide on what waited for the end of the intake.
    private func end() async throws {
        // In this order: a card verified meanwhile is either found by the query, or decided on with the flag set.
        self.context.board.inputsAreIn()
        for number in try await self.context.store.applicationsWithVerifiedCards() {
            self.context.applications.touch(number)
        }
        self.context.board.endIntake(announcing: .settle)
    }

    private func take(_ item: IntakeItem, in batch: InBatch) async throws {
        defer { batch.decoding?.giveBack() }
        guard case .take(let metadata) = item.disposition,
            let result = try await self.resultUnlessDraining(of: item, metadata: metadata, in: batch)
        else { return }
        try await self.report(result, of: item, in: batch)
    }

    private func report(_ result: InputResult, of item: IntakeItem, in batch: InBatch) async throws {
        self.context.monitor.report(.input(index: batch.index, result))
        guard case .take(let metadata) = item.disposition else { return }
        // Before it counts as arrived: between the two a back would find neither its front nor what became of it.
        if batch.isExpected || result.isRefusal { try await batch.announcer.arrived(item, as: result) }
        self.context.arrived(result, under: metadata.businessNumber)
    }

    // MARK: What needs no reading

    /// How many inputs are looked up at a time: the fewest, and the most where none of them is new.
    static let lookAhead = 64...512

    /// Twice as many after inputs that are all dealt with: what is passed on between threads then counts for less. New
    /// ones are read one after the other, and want their attributes looked at shortly before.
    private static func lookAhead(after standings: [Standing], of count: Int) -> Int {
        let areSettled = standings.allSatisfy { if case .settled = $0 { true } else { false } }
        return areSettled ? min(count * 2, Self.lookAhead.upperBound) : Self.lookAhead.lowerBound
    }

    /// How many inputs may be under way: those being decoded, and as many as one commit is to make durable together.
    private var width: Int { self.context.settings.prepareConcurrency + 14 }

    /// What is known of an input before it is read.
    private enum Standing: Hashable, Sendable {
        /// Nothing is to be read.
        case settled(InputResult)
        /// No card was made of it.
        case new
        /// A card of which it says something else than the card does.
        case differing(CardID)
        /// An image by URL.
        case address

        /// The card that it is known to be.
        var card: CardID? {
            switch self {
            case .settled(let result): result.cardID
            case .differing(let card): card
            case .new, .address: nil
            }
        }

        /// Whether a place in the order may be needed for it.
        var mayBeNew: Bool { self == .new || self == .address }
    }

    /// What a batch says of one of its inputs.
    private struct InBatch: Sendable {
        /// Its place in the batch.
        let index: Int
        /// Whether the store was told that it is expected.
        let isExpected: Bool
        let announcer: InputAnnouncer
        /// Its place among all inputs; `nil` if a card was there, so that one is drawn in case it is gone meanwhile.
        var order: Int64?
        /// Whether it was looked up and no card was made of it.
        var isNew = false
        /// The place to read and decode in, if it is read.
        var decoding: WorkPlaces.Place?

        init(_ index: Int, isExpected: Bool, _ announcer: InputAnnouncer) {
            self.index = index
            self.isExpected = isExpected
            self.announcer = announcer
        }
    }

    /// Looks the next inputs up, two halves beside each other; empty if there are none.
    private func lookUp(_ next: Slice<IntakeList>) async throws -> [(IntakeItem, Standing)] {
        guard !next.isEmpty else { return [] }
        let middle = next.startIndex + next.count / 2
        let (first, second) = (Array(next[..<middle]), Array(next[middle...]))
        async let others = self.standings(of: second)
        return Array(zip(first, try await self.standings(of: first))) + zip(second, try await others)
    }

    /// Looks inputs up, without reading any.
    private func standings(of items: [IntakeItem]) async throws -> [Standing] {
        let found = try await self.pool.run { items.map(Self.look(at:)) }
        let files = found.compactMap { look in
            if case .file(let file, let number) = look { (file: file, businessNumber: number) } else { nil }
        }
        var cards = files.isEmpty ? [][...] : try await self.context.store.cards(ofFiles: files)[...]
        return zip(items, found).map { item, look in
            switch look {
            case .result(let result): return .settled(result)
            case .address: return .address
            case .file:
                guard let card = cards.popFirst() ?? nil else { return .new }
                if case .take(let metadata) = item.disposition, !card.isUnchanged(by: metadata) {
                    return .differing(card.id)
                }
                return .settled(.duplicate(card, wasRead: false))
            }
        }
    }

    private enum Look: Sendable {
        case result(InputResult)
        case file(FileIdentity, BusinessNumber)
        case address
    }

    /// Looks at an input on a thread that may block.
    private static func look(at item: IntakeItem) -> Look {
        switch item.disposition {
        case .ignore: return .result(.ignored)
        case .refuse(let reason, let message, _): return .result(.refused(reason, message: message))
        case .take(let metadata):
            guard item.address == nil else { return .address }
            do {
                let file = try SourceFile(path: item.path.reveal(), expected: item.expected)
                return .file(file.identity, metadata.businessNumber)
            } catch {
                return .result(.refused(error.reason, message: error.message))
            }
        }
    }

    // MARK: Taking in

    /// Takes one file in for a service: its place in the intake order is drawn when it proves to be new, and where there
    /// is no room it is refused at once.
    func take(_ item: IntakeItem, metadata: CardMetadata) async throws -> InputResult {
        try await self.result(of: item, metadata: metadata, in: nil)
    }

    /// What came of an input; `nil` if it was dropped without a trace because the engine is asked to end.
    private func resultUnlessDraining(
        of item: IntakeItem,
        metadata: CardMetadata,
        in batch: InBatch
    ) async throws -> InputResult? {
        do {
            return try await self.result(of: item, metadata: metadata, in: batch)
        } catch is CancellationError where self.context.board.isDraining {
            return nil
        }
    }

    /// - Parameter batch: what the batch says of it; `nil` for a service, which refuses at once where there is no room.
    private func result(
        of item: IntakeItem,
        metadata: CardMetadata,
        in batch: InBatch?
    ) async throws -> InputResult {
        if let address = item.address {
            return try await self.whenThereIsRoom(waits: batch != nil) {
                try await self.addresses.take(address, metadata: metadata, order: batch?.order)
            }
        }
        let (path, expected) = (item.path, item.expected)
        do {
            if batch?.isNew != true {
                let file = try await self.pool.run { try SourceFile(path: path.reveal(), expected: expected).identity }
                if let card = try await self.context.store.card(ofFile: file, businessNumber: metadata.businessNumber) {
                    return .duplicate(try await self.context.updated(card, with: metadata), wasRead: false)
                }
            }
            return try await self.whenThereIsRoom(waits: batch != nil) {
                try await self.readAndAdmit(item, metadata: metadata, in: batch)
            }
        } catch let failure as SourceFile.Failure {
            return .refused(failure.reason, message: failure.message)
        }
    }

    private func readAndAdmit(
        _ item: IntakeItem,
        metadata: CardMetadata,
        in batch: InBatch?
    ) async throws -> InputResult {
        // What is read is as large as it is decoded; once it is prepared, the next one may come.
        let decoding = if let held = batch?.decoding { held } else { await self.decoding.take() }
        defer { decoding.giveBack() }
        let limit = self.context.settings.maximumSourceBytes
        let (path, expected, buffers) = (item.path, item.expected, self.buffers)
        let (identity, source, digest) = try await self.pool.run {
            let file = try SourceFile(path: path.reveal(), expected: expected)
            let source = try file.read(limit: limit, into: buffers)
            return (file.identity, SourceBytes(source), ContentDigest(of: source))
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
            if let order = batch?.order {
                place = order
            } else {
                place = try await self.context.store.reserveIntakeOrders(1)
            }
            let outcome = try await self.preparation.prepare(source, digest)
            decoding.giveBack()
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

import Glibc
import IDCardCore

/// Tells the store which inputs of a list are on their way, and what becomes of them: the rules between front and back
/// hold whichever process asks.
///
/// Only inputs of which no card was made are told of, so that a list of known photos costs no write.
struct InputAnnouncer: Sendable {
    let store: any CardStore
    let time: PipelineTime
    private let items: IntakeList
    /// The places of those that the list itself refuses, and whose business number is known.
    private let refused: [Int]

    /// Looks through a list.
    init(_ items: IntakeList, store: any CardStore, time: PipelineTime) {
        self.store = store
        self.time = time
        self.items = items
        self.refused = items.indices.filter { index in
            if case .refuse(_, _, _?) = items.disposition(at: index) { true } else { false }
        }
    }

    /// Where the inputs of the list were found.
    private var sources: Set<InputSource> { Set(self.items.roots.map { .listed(Redacted($0)) }) }

    private func inputs(at places: [Int], areRefused: Bool = false) -> [AwaitedInput] {
        places.compactMap { place in
            guard var input = self.awaited(self.items[place]) else { return nil }
            if areRefused { input.isRefused = true }
            return input
        }
    }

    /// What the store is to know of an input; `nil` if it has no business number, or is none.
    private func awaited(_ item: IntakeItem) -> AwaitedInput? {
        let (number, isRefused): (BusinessNumber, Bool)
        switch item.disposition {
        case .take(let metadata): (number, isRefused) = (metadata.businessNumber, false)
        case .refuse(_, _, let known?): (number, isRefused) = (known, true)
        case .refuse, .ignore: return nil
        }
        return AwaitedInput(
            businessNumber: number,
            path: item.address?.url ?? item.path,
            source: self.items.root(of: item).map { .listed(Redacted($0)) } ?? .named,
            isRefused: isRefused
        )
    }

    /// Tells of the inputs that the list itself refuses, before anything is decided on.
    func announceRefusals() async throws {
        guard !self.refused.isEmpty else { return }
        try await self.store.add(self.inputs(at: self.refused), now: self.time.now())
    }

    /// Tells of all inputs of which no card was made, in place of what former looks through the same sources found.
    ///
    /// - Parameters:
    ///   - expected: the places of those that are still to be taken in.
    ///   - refused: the places of those that were refused, beside those that the list itself refuses.
    func announce(expected: [Int], refused: [Int] = []) async throws {
        let sources = self.sources
        var mayBeFronts: [Int] = []
        for place in refused where try await self.mayBeFront(self.items[place]) { mayBeFronts.append(place) }
        let refused = mayBeFronts
        if expected.isEmpty, refused.isEmpty, self.refused.isEmpty {
            // What was expected there before is expected no more, nor is what was refused there.
            guard !sources.isEmpty, try await self.store.awaitsInputs(of: sources) else { return }
        }
        let inputs =
            self.inputs(at: expected) + self.inputs(at: refused, areRefused: true) + self.inputs(at: self.refused)
        try await self.store.announce(inputs, foundIn: sources, now: self.time.now())
    }

    /// Tells that inputs were known already: what was expected or refused of them before is so no more.
    func areKnown(_ items: [IntakeItem]) async throws {
        let inputs = items.compactMap { self.awaited($0) }
        if !inputs.isEmpty { try await self.store.end(inputs) }
    }

    /// Tells what became of an input, as far as the store does not know by itself.
    func arrived(_ item: IntakeItem, as result: InputResult) async throws {
        guard case .take = item.disposition, var input = self.awaited(item) else { return }
        switch result {
        case .refused where try await self.mayBeFront(item):
            input.isRefused = true
            try await self.store.add([input], now: self.time.now())
        case .refused, .ignored, .duplicate(_, wasRead: false): try await self.store.end([input])
        case .admitted, .duplicate(_, wasRead: true): return
        }
    }

    /// Whether an input that is refused may be the front that a back waits for: one that another process took in, and put
    /// away since, is none.
    private func mayBeFront(_ item: IntakeItem) async throws -> Bool {
        guard case .take(let metadata) = item.disposition, metadata.side != .back else { return false }
        var status = stat()
        guard item.address == nil, lstat(item.path.reveal(), &status) != 0, errno == ENOENT else { return true }
        guard let input = self.awaited(item) else { return false }
        return try await !self.store.hasCard(of: input)
    }
}

import IDCardCore
import Synchronization

/// The business numbers whose cards changed since they were last decided on, and those with a wait that ends by itself.
final class PendingApplications: Sendable {
    private struct State {
        /// Those before `firstChanged` are taken out already: a long array is not moved up for each that is taken.
        var changed: [BusinessNumber] = []
        var firstChanged = 0
        var isChanged: Set<BusinessNumber> = []
        /// Those being decided on, and those whose last decision left something to wait for: for these it matters what
        /// else arrives.
        var isWaiting: Set<BusinessNumber> = []
        var waits = ApplicationWaits()
        /// Those of which nothing may go before further cards are verified.
        var unverified: [BusinessNumber: Unverified] = [:]
        var expected: [BusinessNumber: Int] = [:]
        /// The business numbers of a batch.
        var ofBatch: Set<BusinessNumber> = []
        var serviceStart: ServiceStart?
    }

    private struct ServiceStart {
        var time: Timestamp
        private var lastLook: (time: Timestamp, steady: SuspendingClock.Instant?)

        /// A clock that is corrected by less is not taken for one that jumped.
        private static let smallestJump = Duration.seconds(10)

        init(_ time: PipelineTime) {
            self.time = time.now()
            self.lastLook = (self.time, time.steady?())
        }

        mutating func look(_ time: PipelineTime) {
            let look = (time: time.now(), steady: time.steady?())
            // It was ahead when the service began, or when it jumped.
            self.time = min(self.time, look.time)
            if let before = self.lastLook.steady, let now = look.steady,
                look.time.duration(since: self.lastLook.time) - (now - before) > Self.smallestJump
            {
                self.time = look.time
            }
            self.lastLook = look
        }
    }

    /// What the last decision on a business number found, and how often it has changed since.
    private struct Unverified {
        var cards: Int
        var changes = 0
    }

    private let state = Mutex(State())

    /// Notes that a business number was decided on.
    ///
    /// - Parameters:
    ///   - cards: how many cards it has.
    ///   - isUnverified: whether nothing of it may go before further cards are verified.
    func decided(_ number: BusinessNumber, cards: Int, isUnverified: Bool) {
        self.state.withLock { $0.unverified[number] = isUnverified ? Unverified(cards: cards) : nil }
    }

    /// Counts a change of a business number, and returns whether the next decision on it may be put off as long as cards
    /// are still to be verified: a decision looks at all cards, so it comes once per eighth of them.
    func mayPutOff(_ number: BusinessNumber) -> Bool {
        self.state.withLock { state in
            guard var known = state.unverified[number] else { return false }
            known.changes += 1
            state.unverified[number] = known
            return known.changes < known.cards / 8
        }
    }

    /// Notes that something changed under a business number.
    func touch(_ number: BusinessNumber) {
        self.state.withLock { state in
            if state.isChanged.insert(number).inserted { state.changed.append(number) }
        }
    }

    /// Notes that something arrived under a business number; returns whether anything there waits for it, so that it is
    /// to be decided on again.
    func touchIfWaiting(_ number: BusinessNumber) -> Bool {
        self.state.withLock { state in
            guard state.isWaiting.contains(number) else { return false }
            if state.isChanged.insert(number).inserted { state.changed.append(number) }
            return true
        }
    }

    /// Notes when a business number is to be decided on again, or that it need not be.
    ///
    /// - Parameter hasVerified: whether it had `verified` cards, which may still wait for something.
    func wait(_ number: BusinessNumber, until time: Timestamp?, hasVerified: Bool = true) {
        self.state.withLock { state in
            state.waits.set(number, until: time)
            if !hasVerified { state.isWaiting.remove(number) }
        }
    }

    /// Takes out up to `limit` business numbers that are to be decided on now.
    func take(_ limit: Int, now: Timestamp) -> [BusinessNumber] {
        self.state.withLock { state in
            while let number = state.waits.next(now: now) {
                if state.isChanged.insert(number).inserted { state.changed.append(number) }
            }
            let taken = Array(state.changed[state.firstChanged...].prefix(limit))
            state.firstChanged += taken.count
            if state.firstChanged * 2 >= state.changed.count {
                state.changed.removeFirst(state.firstChanged)
                state.firstChanged = 0
            }
            for number in taken {
                state.isChanged.remove(number)
                state.isWaiting.insert(number)
            }
            return taken
        }
    }

    /// When there is something to decide on; `nil` if there is nothing.
    func nextDue(now: Timestamp) -> Timestamp? {
        self.state.withLock { $0.isChanged.isEmpty ? $0.waits.first : now }
    }

    // MARK: Inputs on their way

    /// Notes that an input of a business number is known but not in the store yet.
    func expect(_ number: BusinessNumber) {
        self.state.withLock { $0.expected[number, default: 0] += 1 }
    }

    /// Notes that an expected input is dealt with.
    func arrived(_ number: BusinessNumber) {
        self.state.withLock { state in
            let rest = (state.expected[number] ?? 1) - 1
            state.expected[number] = rest > 0 ? rest : nil
        }
    }

    /// How many inputs of a business number are on their way.
    func expectedInputs(of number: BusinessNumber) -> Int {
        self.state.withLock { $0.expected[number] ?? 0 }
    }

    /// Notes that a service begins to work.
    func beginService(_ time: PipelineTime) {
        self.state.withLock { $0.serviceStart = ServiceStart(time) }
    }

    /// When a service began to work, or when its clock jumped ahead since: what it waits for has waited no longer.
    ///
    /// `nil` in a batch.
    func serviceStart(_ time: PipelineTime) -> Timestamp? {
        self.state.withLock { state in
            state.serviceStart?.look(time)
            return state.serviceStart?.time
        }
    }

    /// Notes that a business number is among the inputs of a batch.
    func addToBatch(_ number: BusinessNumber) {
        self.state.withLock { _ = $0.ofBatch.insert(number) }
    }

    /// Whether a business number is among the inputs of a batch.
    func isOfBatch(_ number: BusinessNumber) -> Bool {
        self.state.withLock { $0.ofBatch.contains(number) }
    }
}

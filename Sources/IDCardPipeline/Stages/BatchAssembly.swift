import IDCardCore
import Synchronization

/// Where cards that may go gather until a delivery of the layout `batch` is full, or the first has waited long enough.
///
/// It lives in memory alone: the cards stay `verified`, and the next engine over the same store gathers them again.
final class BatchAssembly: Sendable {
    /// The cards of one business number that may go together, as of one snapshot.
    struct Entry: Hashable, Sendable {
        /// What they were decided on; a delivery is formed only if it still holds.
        var basis: ApplicationSnapshot
        /// The cards, front first; all of one user account.
        var cards: [ApplicationCard]
        /// That account; `nil` if neither the cards nor the configuration name one.
        var userNumber: Redacted<String>?
        /// The bytes of their images together.
        var byteCount: Int
        /// What the comparison of the sides found worth saying.
        var warnings: [VerdictFinding]
    }

    private let state: Mutex<State>

    /// Takes the limits of a delivery.
    init(maximumCards: Int, maximumBytes: Int, wait: Duration) {
        self.state = Mutex(State(maximumCards: maximumCards, maximumBytes: maximumBytes, wait: wait))
    }

    /// Takes the limits of a layout; one that holds no batches gathers nothing.
    convenience init(_ grouping: DeliveryGrouping) {
        switch grouping {
        case .single, .application: self.init(maximumCards: 1, maximumBytes: .max, wait: .zero)
        case .batch(let cards, let bytes, let wait): self.init(maximumCards: cards, maximumBytes: bytes, wait: wait)
        }
    }

    /// Puts the cards of a business number in the place of what it had here; its time in the queue goes on.
    func put(_ entry: Entry, now: Timestamp) {
        self.state.withLock { state in
            let number = entry.basis.businessNumber
            let since = state.remove(number)?.since ?? now
            state.append(Gathered(entry: entry, since: since))
        }
    }

    /// Notes that none of a business number's cards may go any more.
    func remove(_ number: BusinessNumber) {
        self.state.withLock { _ = $0.remove(number) }
    }

    /// Notes that cards were refused together: each goes alone from now on.
    func sendAlone(_ cards: [CardID]) {
        self.state.withLock { $0.alone.formUnion(cards) }
    }

    /// Whether one of some cards goes alone.
    func sendsAlone(anyOf cards: [ApplicationCard]) -> Bool {
        self.state.withLock { state in !state.alone.isEmpty && cards.contains { state.alone.contains($0.id) } }
    }

    /// When the next delivery is to be formed; `nil` if nothing is here.
    func nextDue(now: Timestamp) -> Timestamp? {
        self.state.withLock { state in
            state.full.isEmpty ? state.oldest.map { $0.since.advanced(by: state.wait) } : now
        }
    }

    /// Has nothing wait since a time that lies ahead, by a clock that went back.
    func endWaits(at now: Timestamp) {
        self.state.withLock { $0.endWaits(at: now) }
    }

    /// Takes out the entries of every delivery that is to be formed now.
    func take(now: Timestamp) -> [[Entry]] {
        self.state.withLock { state in
            var deliveries: [[Entry]] = []
            while let account = state.full.first { deliveries.append(state.takeNext(of: account)) }
            while let oldest = state.oldest, oldest.since.advanced(by: state.wait) <= now {
                deliveries.append(state.takeNext(of: oldest.account))
            }
            return deliveries
        }
    }
}

extension BatchAssembly {
    /// Deliveries hold cards of one account; a business number that must go alone has an account of its own.
    private struct Account: Hashable {
        var userNumber: Redacted<String>?
        var alone: BusinessNumber?
    }

    private struct Gathered {
        var entry: Entry
        var since: Timestamp
    }

    private struct Queue {
        var waiting: [Gathered] = []
        var cards = 0
        var bytes = 0
    }

    private struct State {
        let maximumCards: Int
        let maximumBytes: Int
        let wait: Duration
        var alone: Set<CardID> = []
        var queues: [Account: Queue] = [:]
        var accounts: [BusinessNumber: Account] = [:]
        /// The accounts that have enough for a delivery.
        var full: Set<Account> = []

        init(maximumCards: Int, maximumBytes: Int, wait: Duration) {
            self.maximumCards = maximumCards
            self.maximumBytes = maximumBytes
            self.wait = wait
        }

        /// The account whose first entry has waited longest.
        var oldest: (account: Account, since: Timestamp)? {
            self.queues
                .compactMap { account, queue in queue.waiting.first.map { (account, $0.since) } }
                .min { $0.1 < $1.1 }
        }

        mutating func endWaits(at now: Timestamp) {
            for (account, queue) in self.queues {
                self.queues[account]?.waiting = queue.waiting.map {
                    Gathered(entry: $0.entry, since: min($0.since, now))
                }
            }
        }

        mutating func append(_ gathered: Gathered) {
            let entry = gathered.entry
            let number = entry.basis.businessNumber
            let isAlone = entry.cards.contains { self.alone.contains($0.id) }
            let account = Account(userNumber: entry.userNumber, alone: isAlone ? number : nil)
            self.accounts[number] = account
            var queue = self.queues[account] ?? Queue()
            let place = queue.waiting.firstIndex { $0.since > gathered.since } ?? queue.waiting.endIndex
            queue.waiting.insert(gathered, at: place)
            queue.cards += entry.cards.count
            queue.bytes += entry.byteCount
            self.keep(queue, of: account)
        }

        mutating func remove(_ number: BusinessNumber) -> Gathered? {
            guard let account = self.accounts.removeValue(forKey: number), var queue = self.queues[account],
                let index = queue.waiting.firstIndex(where: { $0.entry.basis.businessNumber == number })
            else { return nil }
            let gathered = queue.waiting.remove(at: index)
            queue.cards -= gathered.entry.cards.count
            queue.bytes -= gathered.entry.byteCount
            self.keep(queue, of: account)
            return gathered
        }

        /// Takes out as many entries of an account as fit into one delivery, one at least.
        mutating func takeNext(of account: Account) -> [Entry] {
            guard var queue = self.queues[account] else { return [] }
            var cards = 0
            var bytes = 0
            let fitting = queue.waiting.prefix { gathered in
                cards += gathered.entry.cards.count
                bytes += gathered.entry.byteCount
                return cards <= self.maximumCards && bytes <= self.maximumBytes
            }
            let taken = queue.waiting.prefix(max(1, fitting.count)).map(\.entry)
            queue.waiting.removeFirst(taken.count)
            for entry in taken {
                queue.cards -= entry.cards.count
                queue.bytes -= entry.byteCount
                self.accounts[entry.basis.businessNumber] = nil
            }
            self.keep(queue, of: account)
            return taken
        }

        private mutating func keep(_ queue: Queue, of account: Account) {
            self.queues[account] = queue.waiting.isEmpty ? nil : queue
            let isFull =
                account.alone != nil || queue.cards >= self.maximumCards || queue.bytes >= self.maximumBytes
            if isFull, !queue.waiting.isEmpty { self.full.insert(account) } else { self.full.remove(account) }
        }
    }
}

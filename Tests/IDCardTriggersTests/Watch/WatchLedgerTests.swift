import Testing

@testable import IDCardTriggers

/// The order in which files come to their turn, by a clock that only the test moves.
@Suite struct WatchLedgerTests {
    private var ledger: WatchLedger

    init() {
        self.ledger = Self.ledger(capacity: 100)
    }

    private static func ledger(capacity: Int) -> WatchLedger {
        var settings = WatchSettings(inputs: ImageRules.options())
        settings.pendingFiles = capacity
        return WatchLedger(settings)
    }

    private static func file(_ name: String, root: Int = 0) -> WatchedPath {
        WatchedPath(root: root, path: "/in/\(root)/\(name)")
    }

    private static func shape(_ size: Int64 = 1) -> FileShape {
        FileShape(device: 1, inode: 1, size: size, modified: 1, names: 1)
    }

    /// Brings a file to its turn.
    private mutating func ready(_ name: String, now: Duration = .zero) throws -> WatchLedger.Ready {
        self.ledger.noticed(Self.file(name), isClosed: true, now: now)
        #expect(self.ledger.dueLooks(now: now, limit: 10) == [Self.file(name)])
        self.ledger.looked(at: Self.file(name), as: Self.shape(), now: now)
        let ready = self.ledger.nextReady()
        return try #require(ready)
    }

    @Test("A file that a scan finds is looked at again after the quiet time, and then has its turn")
    mutating func found() throws {
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(), now: .zero) == true)
        #expect(self.ledger.nextDue == .seconds(5))
        #expect(self.ledger.dueLooks(now: .seconds(4), limit: 10) == [])
        #expect(self.ledger.dueLooks(now: .seconds(5), limit: 10) == [Self.file("a")])
        #expect(!self.ledger.hasReady)
        self.ledger.looked(at: Self.file("a"), as: Self.shape(), now: .seconds(5))
        #expect(self.ledger.hasReady)
        let next = self.ledger.nextReady()
        let ready = try #require(next)
        #expect(ready == WatchLedger.Ready(file: Self.file("a"), shape: Self.shape(), since: .seconds(5), tries: 0))
        let turn = self.ledger.nextReady()
        #expect(turn == nil)
        self.ledger.ended(ready.file, .gone, now: .seconds(6))
        #expect(self.ledger.count == 0)
        #expect(self.ledger.dueLooks(now: .max, limit: 10) == [])
    }

    @Test("A file that is gone when it is looked at is forgotten")
    mutating func vanished() {
        self.ledger.noticed(Self.file("a"), isClosed: true, now: .zero)
        _ = self.ledger.dueLooks(now: .zero, limit: 10)
        self.ledger.looked(at: Self.file("a"), as: nil, now: .zero)
        #expect(self.ledger.count == 0)
    }

    @Test("News that come while a file is looked at call for another look: this one may be too old")
    mutating func newsDuringLook() throws {
        self.ledger.noticed(Self.file("a"), isClosed: false, now: .zero)
        _ = self.ledger.dueLooks(now: .zero, limit: 10)
        self.ledger.noticed(Self.file("a"), isClosed: true, now: .zero)
        self.ledger.looked(at: Self.file("a"), as: Self.shape(1), now: .zero)
        #expect(!self.ledger.hasReady)
        #expect(self.ledger.dueLooks(now: .zero, limit: 10) == [Self.file("a")])
        self.ledger.looked(at: Self.file("a"), as: Self.shape(2), now: .zero)
        let turn = self.ledger.nextReady()
        #expect(turn?.shape == Self.shape(2))
    }

    @Test("A scan does not judge what is on its way: its look may be older than the news")
    mutating func scanDuringNews() {
        self.ledger.noticed(Self.file("a"), isClosed: true, now: .zero)
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(1), now: .zero) == true)
        #expect(!self.ledger.hasReady)
        #expect(self.ledger.count == 1)
    }

    @Test("News that come while a file is taken in call for a look afterwards")
    mutating func newsDuringTake() throws {
        let ready = try self.ready("a")
        self.ledger.noticed(Self.file("a"), isClosed: true, now: .seconds(1))
        #expect(self.ledger.dueLooks(now: .seconds(1), limit: 10) == [])
        self.ledger.ended(ready.file, .gone, now: .seconds(2))
        #expect(self.ledger.dueLooks(now: .seconds(2), limit: 10) == [Self.file("a")])
        self.ledger.looked(at: Self.file("a"), as: Self.shape(2), now: .seconds(2))
        let turn = self.ledger.nextReady()
        #expect(turn?.shape == Self.shape(2))
    }

    @Test("A settled file is met by scans in silence until it changes")
    mutating func settled() throws {
        let ready = try self.ready("a")
        self.ledger.ended(ready.file, .settled(ready.shape), now: .zero)
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(), now: .seconds(1)) == true)
        #expect(self.ledger.count == 0)
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(2), now: .seconds(1)) == true)
        #expect(self.ledger.count == 1)
    }

    @Test("A settled file that is closed without a change needs no turn: nobody wrote to it")
    mutating func settledAndTouched() throws {
        let ready = try self.ready("a")
        self.ledger.ended(ready.file, .settled(ready.shape), now: .zero)
        self.ledger.noticed(Self.file("a"), isClosed: true, now: .seconds(1))
        _ = self.ledger.dueLooks(now: .seconds(1), limit: 10)
        self.ledger.looked(at: Self.file("a"), as: Self.shape(), now: .seconds(1))
        #expect(self.ledger.count == 0)
    }

    @Test("A settled file that is on its way again stays settled over a scan that meets it")
    mutating func settledOverScan() throws {
        let ready = try self.ready("a")
        self.ledger.settled.insert(Self.file("a"), shape: Self.shape())
        self.ledger.settled.scanBegins(root: 0)
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(), now: .zero) == true)
        self.ledger.settled.scanEnds(root: 0)
        let isSettled = self.ledger.settled.contains(ready.file, shape: ready.shape)
        #expect(isSettled)
    }

    @Test("A settled file whose sidecar has come has its turn anew")
    mutating func reconsidered() throws {
        let ready = try self.ready("a")
        self.ledger.ended(ready.file, .settled(ready.shape), now: .zero)
        self.ledger.reconsider(Self.file("a"), now: .seconds(1))
        #expect(self.ledger.dueLooks(now: .seconds(1), limit: 10) == [Self.file("a")])
        self.ledger.looked(at: Self.file("a"), as: Self.shape(), now: .seconds(1))
        let turn = self.ledger.nextReady()
        #expect(turn != nil)
    }

    @Test("A file that is put off has its turn again when its time has come, and tries are counted")
    mutating func putOff() throws {
        let first = try self.ready("a")
        self.ledger.ended(first.file, .putOff(until: .seconds(3), counts: true), now: .zero)
        let turn = self.ledger.nextReady()
        #expect(turn == nil)
        #expect(self.ledger.dueLooks(now: .seconds(2), limit: 10) == [])
        #expect(!self.ledger.hasReady)
        #expect(self.ledger.dueLooks(now: .seconds(3), limit: 10) == [])
        let next = self.ledger.nextReady()
        let second = try #require(next)
        #expect(second.tries == 1)
        #expect(second.since == first.since)
    }

    @Test("A file that is put off comes at once when what it waits for is there")
    mutating func putOffAndReconsidered() throws {
        let ready = try self.ready("a")
        self.ledger.ended(ready.file, .putOff(until: .seconds(300), counts: false), now: .zero)
        self.ledger.reconsider(Self.file("a"), now: .seconds(1))
        #expect(self.ledger.dueLooks(now: .seconds(1), limit: 10) == [])
        let turn = self.ledger.nextReady()
        #expect(turn?.tries == 0)
    }

    @Test("A file that has changed when its turn came is looked at again, and waited for from then on")
    mutating func changed() throws {
        let ready = try self.ready("a")
        self.ledger.ended(ready.file, .changed, now: .seconds(1))
        #expect(self.ledger.dueLooks(now: .seconds(1), limit: 10) == [Self.file("a")])
        self.ledger.looked(at: Self.file("a"), as: Self.shape(2), now: .seconds(1))
        #expect(self.ledger.nextDue == .seconds(6))
    }

    @Test("There are never more files than there is room for; those that are missed are told of")
    mutating func capacity() {
        self.ledger = Self.ledger(capacity: 10)
        for number in 0..<10 {
            #expect(self.ledger.found(Self.file("\(number)"), as: Self.shape(), now: .zero) == true)
        }
        #expect(!self.ledger.hasMissedFiles)
        #expect(self.ledger.found(Self.file("a"), as: Self.shape(), now: .zero) == false)
        #expect(self.ledger.hasMissedFiles)
        self.ledger.noticed(Self.file("b"), isClosed: true, now: .zero)
        #expect(self.ledger.count == 10)
        // What is on its way already has its room.
        #expect(self.ledger.found(Self.file("3"), as: Self.shape(), now: .zero) == true)
    }

    @Test("A root that goes takes its files with it, but not those of others, nor what is being taken in")
    mutating func rootGone() throws {
        let underway = try self.ready("a")
        _ = self.ledger.found(Self.file("b"), as: Self.shape(), now: .zero)
        _ = self.ledger.found(Self.file("c", root: 1), as: Self.shape(), now: .zero)
        self.ledger.forget(root: 0)
        #expect(self.ledger.count == 2)
        self.ledger.ended(underway.file, .gone, now: .zero)
        #expect(self.ledger.dueLooks(now: .seconds(5), limit: 10) == [Self.file("c", root: 1)])
    }

    @Test("After news were lost, a file that was being written is judged by its looks")
    mutating func lostNews() {
        self.ledger.noticed(Self.file("a"), isClosed: false, now: .zero)
        _ = self.ledger.dueLooks(now: .zero, limit: 10)
        self.ledger.looked(at: Self.file("a"), as: Self.shape(), now: .zero)
        #expect(self.ledger.nextDue == .seconds(600))
        self.ledger.newsWereLost()
        #expect(self.ledger.dueLooks(now: .seconds(5), limit: 10) == [Self.file("a")])
        self.ledger.looked(at: Self.file("a"), as: Self.shape(), now: .seconds(5))
        let turn = self.ledger.nextReady()
        #expect(turn != nil)
    }

    @Test("What a whole scan has not met is forgotten, what it has met is kept")
    func settledGenerations() {
        var settled = SettledFiles()
        settled.insert(Self.file("a"), shape: Self.shape())
        settled.insert(Self.file("b"), shape: Self.shape())
        settled.scanBegins(root: 0)
        let isMet = settled.contains(Self.file("a"), shape: Self.shape())
        #expect(isMet)
        // Settled while the scan goes on.
        settled.insert(Self.file("c"), shape: Self.shape())
        settled.scanEnds(root: 0)
        #expect(settled.count == 2)
        let isForgotten = !settled.contains(Self.file("b"), shape: Self.shape())
        #expect(isForgotten)
        let isAnother = !settled.contains(Self.file("a", root: 1), shape: Self.shape())
        #expect(isAnother)
    }

    @Test("Times come in their order, and of one time in the order of their coming")
    func dueTimes() {
        var times = DueTimes<Int>()
        let dues = (0..<200).map { ($0 * 7919) % 50 }
        for (key, due) in dues.enumerated() { times.add(key, due: .seconds(due)) }
        var order: [Int] = []
        while let next = times.next(now: .seconds(49)) { order.append(next.key) }
        #expect(order == dues.indices.sorted { (dues[$0], $0) < (dues[$1], $1) })
        #expect(times.count == 0)
    }
}

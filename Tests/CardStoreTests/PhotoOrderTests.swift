import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Photos of one side that arrive in another order than they were taken, in every way in which they do.
@Suite struct PhotoOrderTests {
    @Test(arguments: [
        (20_261_128 as UInt64, DeliveryLayoutKind.single), (20_261_129, .application), (20_261_130, .batch),
    ])
    func `of 1,000 arrivals in three layouts no old photo goes last, and none is passed over unsaid`(
        seed: UInt64,
        layout: DeliveryLayoutKind
    ) async throws {
        let world = try await ArrivingPhotos(seed: seed, layout: layout)
        while world.arrivals < 340 { try await world.step() }
        try await world.settle()
        try await world.checkEnds()
        try await world.chooseOthers()
        #expect(try await world.harness.findings() == [])
        #expect(world.passedOver > 10 && world.chosen > 5 && world.deliveries > 100, "it shows nothing")
    }

    @Test func `the query says which of two photos is newer as the rule does`() async throws {
        let harness = try await StoreHarness()
        let times: [Int64?] = [nil, 1_000_000, 1_002_000, 1_002_001, 1_005_000]
        let ages = times.indices.flatMap { index in
            [1, 2].map { PhotoAge(order: $0, taken: times[index].map(Timestamp.init(millisecondsSinceEpoch:))) }
        }
        for one in ages {
            for other in ages {
                let isNewer = PhotoAge.isNewer(
                    ("\(one.order)", "\(one.taken)"),
                    than: ("\(other.order)", "\(other.taken)")
                )
                let answer: Bool? = try await harness.value("SELECT \(isNewer)")
                #expect(answer == one.isNewer(than: other), "\(one) \(other)")
            }
        }
    }
}

/// Clerks who photograph cards with cameras of every kind, and bring the files in by two processes.
private final class ArrivingPhotos {
    /// A photo file: what it shows, and what its file system says of its time.
    private struct File {
        let number: String
        let side: CardSide
        let bytes: String
        /// Seconds since the epoch, as FAT, a clock that was never set, one that runs ahead, or a copy have it.
        var modified: Int
    }

    private struct Arrival {
        let file: File
        var age: PhotoAge
        /// Its number and side.
        let key: String

        init(_ file: File, _ age: PhotoAge) {
            (self.file, self.age, self.key) = (file, age, "\(file.number) \(file.side)")
        }
    }

    let harness: StoreHarness
    private let terms: DecidingTerms
    private var random: SeededRandom
    private var other: CardStore
    /// Photos that were taken and have not arrived.
    private var pending: [File] = []
    private var arrived: [CardID: Arrival] = [:]
    private var sides: [CardID: (CardSide, String?)] = [:]
    /// The cards that were delivered of each number and side, in their order.
    private var sent: [String: [CardID]] = [:]
    private var underWay: [DeliveryJob] = []
    private(set) var arrivals = 0
    private(set) var deliveries = 0
    private(set) var passedOver = 0
    private(set) var chosen = 0
    private var made = 0

    init(seed: UInt64, layout: DeliveryLayoutKind) async throws {
        self.harness = try await StoreHarness(inMemory: true)
        self.other = try await self.harness.another()
        self.random = SeededRandom(seed: seed)
        self.terms = DecidingTerms(policy: ApplicationPolicy(layout: layout), rules: VerdictRules())
    }

    deinit { try? self.other.close() }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self.random) < percent }

    private var second: Int { Int(self.harness.now.millisecondsSinceEpoch / 1000) }

    // MARK: Steps

    func step() async throws {
        let count = Int.random(in: 1...12, using: &self.random)
        while self.pending.count < 40 + count {
            self.harness.pass(.milliseconds(Int.random(in: 0...8_000, using: &self.random)))
            self.takePhoto()
        }
        // What was taken now may come before what was taken long ago.
        self.pending.shuffle(using: &self.random)
        let files = Array(self.pending.suffix(count))
        self.pending.removeLast(count)
        try await self.bring(files)
        if self.chance(70) { try await self.verify() }
        if self.chance(70) { try await self.deliver() }
    }

    private func takePhoto() {
        self.made += 1
        let number = "N\(Int.random(in: 0..<20, using: &self.random))"
        let side: CardSide = self.chance(70) ? .front : .back
        let modified =
            switch Int.random(in: 0..<20, using: &self.random) {
            case 0: 315_532_800 + self.second % 1000
            case 1: self.second + 8 * 3600
            case 2: Int.max
            case 3: -11_644_473_600
            case 4...6: self.second / 2 * 2
            default: self.second
            }
        self.pending.append(File(number: number, side: side, bytes: "\(number) \(self.made)", modified: modified))
    }

    /// Brings files in singly, as a list, or by HTTP, where no file has a time.
    private func bring(_ files: [File]) async throws {
        var groups = files.map { [$0] }
        if self.chance(60) { groups = [files] }
        for group in groups {
            let isUpload = self.chance(10)
            self.harness.pass(.milliseconds(Int.random(in: 0...3_000, using: &self.random)))
            let photos = group.map { self.photo($0, isUpload: isUpload) }
            let store = self.chance(50) ? self.harness.store : self.other
            let outcomes = try await store.admit(photos, now: self.harness.now)
            for (photo, (file, outcome)) in zip(photos, zip(group, outcomes)) where !outcome.isDuplicate {
                self.arrivals += 1
                let order = try await self.harness.card(outcome.card).order
                self.arrived[outcome.card] = Arrival(file, PhotoAge(order: order, taken: photo.taken))
                self.sides[outcome.card] = (file.side, file.side == .front ? "11010519491231002X" : nil)
            }
            // Listed again, moved, renamed, or copied so that its time is that of the copy.
            var copies = group.filter { _ in self.chance(20) }
            if self.chance(50) { for index in copies.indices { copies[index].modified = self.second } }
            let again = copies.map { self.photo($0, isUpload: false) }
            if !again.isEmpty { _ = try await store.admit(again, now: self.harness.now) }
        }
    }

    private func photo(_ file: File, isUpload: Bool) -> Admission {
        var photo = self.harness.photo(file.bytes, number: file.number)
        guard !isUpload else { return photo }
        var status = stat()
        status.st_mtim.tv_sec = file.modified
        self.made += 1
        status.st_ino = UInt(self.made)
        let identity = FileIdentity(path: "/in/\(file.number)/\(self.made).jpg", status)
        (photo.file, photo.taken) = (identity, identity.taken(at: self.harness.now))
        return photo
    }

    private func verify() async throws { try await self.harness.verify(self.sides) }

    private func deliver() async throws {
        for job in self.underWay + (try await self.harness.begin(self.terms)) {
            // Some answers come late: then the next photo may be there.
            let key = job.outbound.idempotencyKey
            if self.chance(15), !self.underWay.contains(where: { $0.outbound.idempotencyKey == key }) {
                self.underWay.append(job)
                continue
            }
            self.underWay.removeAll { $0.outbound.idempotencyKey == key }
            try await self.harness.conclude(job, .accepted)
            for card in job.members { try self.note(card) }
        }
    }

    private func note(_ card: CardID) throws {
        let arrival = try #require(self.arrived[card])
        self.deliveries += 1
        if let last = self.sent[arrival.key]?.last, let before = self.arrived[last] {
            #expect(Self.isNewer(arrival.age, than: before.age), "\(card) went after \(last)")
        }
        self.sent[arrival.key, default: []].append(card)
    }

    /// How many seconds lie between the times of two photos, if both have one.
    private static func distance(_ one: PhotoAge, _ other: PhotoAge) -> Double {
        guard let time = one.taken, let before = other.taken else { return .infinity }
        return abs(time.duration(since: before).inSeconds)
    }

    /// The rule, written down a second time.
    private static func isNewer(_ one: PhotoAge, than other: PhotoAge) -> Bool {
        guard let time = one.taken, let before = other.taken, Self.distance(one, other) > 2 else {
            return one.order > other.order
        }
        return time > before
    }

    // MARK: The end

    func settle() async throws {
        try await self.bring(self.pending)
        self.pending = []
        for _ in 0..<6 {
            self.harness.pass(.seconds(3600))
            try await self.verify()
            try await self.deliver()
        }
        while !self.underWay.isEmpty { try await self.deliver() }
        try await self.deliver()
    }

    func checkEnds() async throws {
        let groups = Dictionary(grouping: self.arrived.values, by: \.key).mapValues { $0.map(\.age) }
        for (id, arrival) in self.arrived {
            let card = try await self.harness.card(id)
            let (key, ages) = (arrival.key, groups[arrival.key] ?? [])
            if card.state == .verified, arrival.file.side == .back { continue }
            #expect(card.state == .delivered || card.state == .superseded, "\(id) \(card.state)")
            guard let last = self.sent[key]?.last, let winner = self.arrived[last] else { continue }
            #expect((card.state == .delivered) == self.sent[key]?.contains(id))
            guard card.state == .superseded else { continue }
            // Of photos that all have times, and of those that have none, the newest was sent last.
            if ages.allSatisfy({ $0.taken != nil }) || ages.allSatisfy({ $0.taken == nil }) {
                let isClose = ages.contains { $0 != winner.age && Self.distance($0, winner.age) <= 4 }
                #expect(isClose || !Self.isNewer(arrival.age, than: winner.age), "\(id) is newer than \(last)")
            }
            let isByTime = card.reason == .takenEarlier
            #expect(isByTime || card.reason == .superseded)
            guard isByTime else { continue }
            self.passedOver += 1
            let text = try #require(card.message?.text())
            #expect(text.contains("idcard-pipeline cards retry \(id)"))
            let named = CardID(rawValue: String(text.split(separator: " ")[1]))
            #expect(self.arrived[named]?.key == key && named != id)
            #expect(card.notice == .line)
        }
    }

    /// Persons want photos that were passed over for their time.
    func chooseOthers() async throws {
        let inTurn = self.arrived.sorted { $0.value.age.order < $1.value.age.order }
        for (id, arrival) in inTurn where self.chance(50) {
            let card = try await self.harness.card(id)
            guard card.reason == .takenEarlier else { continue }
            try await self.harness.retry(id)
            let order = try await self.harness.card(id).order
            self.arrived[id]?.age = PhotoAge(order: order)
            try await self.verify()
            while try await self.harness.card(id).state != .delivered { try await self.deliver() }
            #expect(self.sent[arrival.key]?.last == id)
            self.chosen += 1
        }
    }
}

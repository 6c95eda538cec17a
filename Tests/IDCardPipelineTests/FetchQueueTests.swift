import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("The queue of images by their hosts")
struct FetchQueueTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private static var settings: EngineSettings {
        var settings = EngineSettings()
        settings.fetchHostConcurrency = 2
        settings.breakerFailures = 3
        return settings
    }

    private static func job(_ number: Int, host: String, priority: Int = 0) throws -> FetchJob {
        let businessNumber = try #require(BusinessNumber("B-1"))
        let card = Card(
            id: CardID(rawValue: "card-\(number)"),
            state: .fetching,
            metadata: CardMetadata(businessNumber: businessNumber, priority: priority),
            intakeOrder: Int64(number),
            createdAt: Self.start,
            changedAt: Self.start
        )
        return FetchJob(card: card, address: ImageAddress("https://\(host)/\(number)"))
    }

    private static func numbers(_ fetches: [HostedFetch]) -> [String] { fetches.map(\.job.card.id.rawValue) }

    @Test(
        "The host of a URL is told without what stands around it",
        arguments: [
            ("https://Images.Example/a?b@c", "images.example"), ("http://10.0.0.1:8080", "10.0.0.1:8080"),
            ("https://user:word@[::1]:443/@", "[::1]:443"), ("no url", ""),
        ]
    )
    func host(url: String, expected: String) {
        #expect(ImageAddress(url).host == expected)
    }

    @Test("Each host has so many at a time, and the next is the first by priority and order whose host has a place")
    func places() throws {
        let queue = FetchQueue(Self.settings, room: 100)
        let jobs = try (1...4).map { try Self.job($0, host: "a.example") } + [Self.job(5, host: "b.example")]
        let first = queue.turn(jobs, limit: 9, at: Self.start)
        #expect(Self.numbers(first.begun) == ["card-1", "card-2", "card-5"])
        let urgent = queue.turn([try Self.job(6, host: "a.example", priority: 1)], limit: 9, at: Self.start)
        #expect(urgent.begun.isEmpty)
        #expect(queue.nextDue(at: Self.start) == nil, "the end of another is what it waits for")
        #expect(queue.ended(first.begun[0], as: nil, at: Self.start) == nil)
        #expect(queue.nextDue(at: Self.start) == Self.start)
        #expect(Self.numbers(queue.turn([], limit: 9, at: Self.start).begun) == ["card-6"])
        queue.abandoned(first.begun[1])
        #expect(Self.numbers(queue.turn([], limit: 9, at: Self.start).begun) == ["card-3"])
    }

    @Test("What finds no room is put off, from the host with the longest queue, its last first")
    func room() throws {
        let queue = FetchQueue(Self.settings, room: 3)
        let jobs = try (1...7).map { try Self.job($0, host: "a.example") }
        let turn = queue.turn(try jobs + [Self.job(8, host: "b.example")], limit: 2, at: Self.start)
        #expect(Self.numbers(turn.begun) == ["card-1", "card-2"])
        #expect(turn.putOff.map(\.job.card.id.rawValue) == ["card-7", "card-6", "card-5"])
        #expect(turn.putOff.allSatisfy { $0.until == Self.start.advanced(by: FetchQueue.shortestPutOff) })
        #expect(Self.numbers(queue.turn([], limit: 1, at: Self.start).begun) == ["card-8"])
    }

    @Test("A host that fails in a row is left alone for growing times, then tried with one; another is not concerned")
    func leftAlone() throws {
        let queue = FetchQueue(Self.settings, room: 100)
        let failure = RemoteFailure(.transient, code: "timeout", message: "x")
        var now = Self.start
        var begun = queue.turn(try (1...20).map { try Self.job($0, host: "a.example") }, limit: 9, at: now).begun
        for _ in 1...2 { #expect(queue.ended(begun.removeFirst(), as: failure, at: now) == nil) }
        for seconds in [10, 20, 40, 80, 120, 120] {
            let fetch = try #require(queue.turn([], limit: 1, at: now).begun.first)
            let until = now.advanced(by: .seconds(seconds))
            #expect(queue.ended(fetch, as: failure, at: now) == until)
            #expect(queue.nextDue(at: now) == until)
            #expect(queue.turn([], limit: 9, at: now).begun.isEmpty)
            let other = queue.turn([try Self.job(100 + seconds, host: "b.example")], limit: 9, at: now).begun
            #expect(other.count == 1)
            for fetch in other { _ = queue.ended(fetch, as: nil, at: now) }
            now = until
            let again = queue.turn([try Self.job(200 + seconds, host: "a.example")], limit: 1, at: now)
            #expect(again.begun.count == 1, "one tries it")
            #expect(queue.turn([], limit: 9, at: now).begun.isEmpty, "and no other beside it")
            for fetch in again.begun { queue.abandoned(fetch) }
        }
        let fetch = try #require(queue.turn([], limit: 9, at: now).begun.first)
        #expect(queue.ended(fetch, as: nil, at: now) == nil)
        #expect(queue.turn([], limit: 9, at: now).begun.count == 2, "it works again")
    }

    @Test("Answers of one wave that ask for patience count once; one that does not ends it")
    func waves() {
        var pace = HostPace(Self.settings)
        let throttled = RemoteFailure(.throttled, code: "fetch_throttled", message: "x")
        var now = Self.start
        let wave = [pace.begin(at: now), pace.begin(at: now)]
        for call in wave { pace.ended(call, as: throttled, at: now) }
        #expect(pace.closedUntil(at: now) == now.advanced(by: .seconds(1)))
        now = now.advanced(by: .seconds(1))
        #expect(pace.hasPlace(at: now))
        let trial = pace.begin(at: now)
        #expect(!pace.hasPlace(at: now), "one alone")
        pace.ended(trial, as: throttled, at: now)
        #expect(pace.closedUntil(at: now) == now.advanced(by: .seconds(2)))
        now = now.advanced(by: .seconds(2))
        pace.ended(pace.begin(at: now), as: nil, at: now)
        pace.ended(pace.begin(at: now), as: throttled, at: now)
        #expect(pace.closedUntil(at: now) == now.advanced(by: .seconds(1)))
    }

    @Test("What is too old goes when its host has no place, with the last failure there")
    func expired() throws {
        let queue = FetchQueue(Self.settings, room: 100)
        let jobs = try (1...3).map { try Self.job($0, host: "a.example") }
        let begun = queue.turn(jobs, limit: 9, at: Self.start).begun
        let late = Self.start.advanced(by: Self.settings.fetchMaximumAge)
        let throttled = RemoteFailure(.throttled, code: "fetch_throttled", message: "x")
        _ = queue.ended(try #require(begun.first), as: throttled, at: late)
        let turn = queue.turn([], limit: 9, at: late)
        #expect(turn.expired.map(\.job.card.id.rawValue) == ["card-3"])
        #expect(turn.expired.map(\.last) == [throttled])
        #expect(turn.begun.isEmpty)
    }
}

import CardEngine
import CardModel
import Foundation
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import CardInput
@testable import CardStore

/// Photos that come into a watched folder in another order than they were taken.
@Suite(.timeLimit(.minutes(5))) struct PhotoTimeTests {
    @Test func `of 40 photos that come within seconds, the one of each case that was taken last is sent last`()
        async throws
    {
        let sandbox = try await StoredPhotos()
        let watching = try Watching(pipeline: sandbox.pipeline)
        var random = SeededRandom(seed: 40)
        let photos = (0..<40).map { (number: "R-\($0 % 10)", taken: 1_699_000_000 + $0 * 300) }.shuffled(using: &random)
        try await watching.run(afterScans: 1) { _ in
            for (index, photo) in photos.enumerated() {
                try bring(photo.number, taken: photo.taken, to: watching.folder)
                await watching.reports.wait(forPlaced: index + 1)
                let pause = Duration.milliseconds(Int.random(in: 0...2_000, using: &random))
                sandbox.clock.withLock { $0 = $0.advanced(by: pause) }
                if index % 7 == 6 { try await sandbox.deliver() }
            }
        }
        try await sandbox.deliver()
        let sent = sandbox.sent.withLock(\.self)
        for number in Set(photos.map(\.number)) {
            let times = sent.filter { $0.hasPrefix(number + " ") }.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(times == times.sorted() && times.last == photos.filter { $0.number == number }.map(\.taken).max())
        }
        let cards = try await sandbox.store.cards(CardFilter(), after: 0, limit: 100, for: .process)
        let passedOver = cards.filter { $0.reason == .takenEarlier }
        #expect(cards.count == 40 && cards.count { $0.state == .delivered } + passedOver.count == 40)
        #expect(passedOver.count > 5 && passedOver.allSatisfy { $0.notice == .line })
        for card in passedOver {
            #expect(card.message?.text().contains("idcard-pipeline cards retry \(card.id)") == true)
        }
        // A person wants one of them.
        let chosen = try #require(passedOver.first)
        try await sandbox.store.retry(chosen.id, by: AccessOrigin(actor: "test"), now: sandbox.clock.withLock(\.self))
        try await sandbox.deliver()
        let last = sandbox.sent.withLock { $0.last ?? "" }
        #expect(last.hasPrefix("\(chosen.metadata.businessNumber) "))
        #expect(try await sandbox.store.cards([chosen.id], for: .process).map(\.state) == [.delivered])
    }

    /// Moves a photo into a case with the time that it was taken.
    private func bring(_ number: String, taken: Int, to folder: TemporaryFolder) throws {
        let name = "\(taken).jpg"
        try folder.write("out/" + name, bytes: Listing.jpegStart + Array("\(number) \(taken)".utf8))
        try folder.setTime("out/" + name, taken)
        try folder.makeFolder("in/" + number)
        try #require(rename(folder["out/" + name], folder["in/\(number)/\(name)"]) == 0)
    }

    @Test func `a photo that is passed over once it is in done goes on to failed, with what goes with it`()
        async throws
    {
        let watching = try Watching(photos: ["in/LOAN-1/front.jpg"])
        try watching.folder.write("in/LOAN-1/front.jpg.json", text: #"{"user_no": "u-1"}"#)
        try watching.photo("in/failed/LOAN-1/front.jpg", 7)
        try await watching.run(afterPlaced: 1) { watch in
            let status = try FilePath(watching.folder["in/done/LOAN-1/front.jpg"]).status(followingLinks: false)
            let file = FileIdentity(path: watching.folder["in/LOAN-1/front.jpg"], status)
            let error = CodedError(.takenEarlier, .input, "another one was taken later")
            for _ in 0..<2 { await watch.note(error, card: CardID(rawValue: "c"), beside: [file], moving: true) }
        }
        let moved = "failed/LOAN-1/front-2.jpg"
        #expect(watching.files() == [moved, moved + ".failed.json", moved + ".json", "failed/LOAN-1/front.jpg"])
        #expect(try watching.note("in/\(moved).failed.json")["code"] == "taken_earlier")
    }
}

/// A sandbox whose outside is in memory, by a clock that the test sets.
private final class StoredPhotos: Sendable {
    let store: CardStore
    let clock = Mutex(Timestamp(millisecondsSinceEpoch: 1_700_000_000_000))
    /// What was sent, in its order: `R-1 1699000000`.
    let sent = Mutex<[String]>([])
    private let folder = FileManager.default.temporaryDirectory.appending(path: "photos-\(UUID().uuidString)").path
    private let worker: Worker

    init() async throws {
        let (now, ring) = (Timestamp(millisecondsSinceEpoch: 1_700_000_000_000), KeyRing(VaultKey.random()))
        self.store = try await CardStore.open(path: self.folder, kind: .real, ring: ring, creating: true, now: now)
        self.worker = try await self.store.startWorker(id: "w1", command: "watch", now: now)
    }

    deinit {
        try? self.store.close()
        try? FileManager.default.removeItem(atPath: self.folder)
    }

    var pipeline: FakePipeline {
        FakePipeline { photo, _, _ in
            _ = try await self.engine.take(photo)
            return .taken
        }
    }

    func deliver() async throws { _ = try await self.engine.runBatch([]) }

    private var engine: Engine {
        let time = EngineTime(
            now: { self.clock.withLock(\.self) },
            steady: EngineTime.system.steady,
            sleep: EngineTime.system.sleep
        )
        let (store, worker, settings) = (self.store, self.worker, EngineSettings())
        return Engine(store: store, worker: worker, ports: self.ports, settings: settings, time: time) { _ in }
    }

    private var ports: EnginePorts {
        EnginePorts(
            read: { Data(try SourceFile.read($0, limit: 1 << 20)) },
            prepare: { PreparedImage(jpeg: $0, width: 100, height: 63, digest: ContentDigest(of: $0)) },
            shrink: { _ in nil },
            fetcher: ClosureFetcher { _, _ in .fetched },
            verifier: ClosureVerifier { _ in
                let fields = CardFields(name: "SPECIMEN", number: "11010519491231002X")
                let legality = Legality(vendorScores: ["ID Photo": 0.9])
                return .read(CardReading(side: .front, fields: fields, legality: legality))
            },
            backend: ClosureBackend { delivery in
                let photos = delivery.images.values.map { String(decoding: $0.dropFirst(4), as: UTF8.self) }
                self.sent.withLock { $0 += photos }
                return .accepted(alreadyExisted: false, code: "000000")
            }
        )
    }
}

import CardEngine
import CardModel
import Foundation
import Synchronization
import TestSupport

@testable import CardInput
@testable import CardStore

/// A sandbox whose outside is in memory, by a clock that the test sets: the verifier reads the side from the photo's
/// bytes (`NUMBER front 7`), the backend accepts.
final class StoredPhotos: Sendable {
    /// What all processes of a sandbox share.
    private final class World: Sendable {
        let folder = URL(filePath: TemporaryFolder.anyTimes).appending(path: "photos-\(UUID().uuidString)").path
        let key = VaultKey.random()
        let now = Mutex(Timestamp(millisecondsSinceEpoch: 1_700_000_000_000))
        let sent = Mutex<[(card: CardID, text: String)]>([])

        deinit { try? FileManager.default.removeItem(atPath: self.folder) }
    }

    /// Decides about a delivery before it is accepted.
    typealias Answer = @Sendable (OutboundDelivery) -> DeliveryOutcome?

    let store: Sandbox
    private let world: World
    private let worker: Worker
    private let settings: EngineSettings
    private let answer: Answer

    convenience init(
        settings: EngineSettings = EngineSettings(),
        answer: @escaping Answer = { _ in nil }
    ) async throws {
        try await self.init(World(), worker: "w1", settings, answer)
    }

    private init(_ world: World, worker: String, _ settings: EngineSettings, _ answer: @escaping Answer) async throws {
        (self.world, self.settings, self.answer) = (world, settings, answer)
        let (now, isFirst) = (world.now.withLock(\.self), worker == "w1")
        let (kind, ring): (Sandbox.Kind?, KeyRing) = (isFirst ? .real : nil, KeyRing(world.key))
        self.store = try await Sandbox.open(path: world.folder, kind: kind, ring: ring, creating: isFirst, now: now)
        self.worker = try await self.store.upkeep.startWorker(id: worker, command: "watch", now: now)
    }

    deinit { try? self.store.close() }

    /// A second process on the same sandbox.
    func another() async throws -> StoredPhotos {
        try await StoredPhotos(self.world, worker: "w2", self.settings, self.answer)
    }

    var now: Timestamp { self.world.now.withLock(\.self) }

    func pass(_ duration: Duration) { self.world.now.withLock { $0 = $0.advanced(by: duration) } }

    /// What was sent, in its order: `R-1 front 7`.
    var sent: [String] { self.sentCards.map(\.text) }

    var sentCards: [(card: CardID, text: String)] { self.world.sent.withLock(\.self) }

    /// Takes photos in as a watch does.
    ///
    /// - Parameter told: hears what became of each photo.
    func pipeline(told: @escaping @Sendable (Photo, Admitted) -> Void = { _, _ in }) -> FakePipeline {
        FakePipeline { photo, _, _ in
            do {
                told(photo, try await self.engine.intake().admit(photo))
                return .admitted
            } catch let error as CodedError where error.kind == .input {
                // Renamed in this moment, it is not there under the name that it had.
                return .refused(error, card: nil)
            }
        }
    }

    /// Takes photos in as lists do.
    func take(_ list: [[Photo]], told: @escaping @Sendable (Photo, Admitted) -> Void) async throws {
        try await self.engine.admit(list) { if case .taken(let item, let outcome) = $0 { told(item, outcome) } }
    }

    /// Verifies and delivers whatever may go.
    func deliver() async throws { _ = try await self.engine.runBatch([]) }

    func receive(_ upload: Photo) async throws -> Admitted {
        try await self.engine.intake().receive([upload])[0]
    }

    private var engine: Engine {
        let time = EngineTime(now: { self.now }, steady: EngineTime.system.steady, sleep: EngineTime.system.sleep)
        let (store, worker) = (self.store, self.worker)
        return Engine(store: store, worker: worker, ports: self.ports, settings: self.settings, time: time) { _ in }
    }

    private var ports: EnginePorts {
        EnginePorts(
            read: { Data(try SourceFile.read($0, limit: 1 << 20)) },
            prepare: { source, _ in
                PreparedImage(jpeg: source, width: 100, height: 63, digest: ContentDigest(of: source))
            },
            shrink: { _ in nil },
            fetcher: ClosureFetcher { _, _ in .fetched },
            verifier: ClosureVerifier { image in .read(Self.reading(of: image)) },
            backend: ClosureBackend { delivery in
                if let outcome = self.answer(delivery) { return outcome }
                let photos = delivery.images.map { (card: $0.key, text: Self.text($0.value)) }
                self.world.sent.withLock { $0 += photos }
                return .accepted(alreadyExisted: false, code: "000000")
            }
        )
    }

    private static func text(_ jpeg: Data) -> String { String(decoding: jpeg.dropFirst(4), as: UTF8.self) }

    private static func reading(of image: PreparedImage) -> CardReading {
        let legality = Legality(vendorScores: ["ID Photo": 0.9])
        if Self.text(image.jpeg).contains(" back ") {
            return CardReading(
                side: .back,
                fields: CardFields(issuer: "SPECIMEN", validity: "2010.11.13-长期"),
                legality: legality
            )
        }
        let fields = CardFields(name: "SPECIMEN", number: "11010519491231002X")
        return CardReading(side: .front, fields: fields, legality: legality)
    }
}

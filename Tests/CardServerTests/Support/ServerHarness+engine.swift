import CardEngine
import CardModel
import CardStore
import Foundation
import TestSupport

extension ServerHarness {
    /// Lends a body a sandbox of its own, or a fixture, and an engine over it, which works if asked to.
    static func withEngine<Value: Sendable>(
        _ intake: Intake,
        isWorking: Bool,
        fourEyes: Set<DecisionAction> = [],
        fixture: FixtureSandbox? = nil,
        _ body: (Sandbox, Engine) async throws -> Value
    ) async throws -> Value {
        let own = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)").path
        let folder = fixture?.folder ?? own
        let store = try await Sandbox.open(
            path: folder,
            kind: .real,
            ring: KeyRing(fixture.flatMap { VaultKey(text: $0.key) } ?? VaultKey.random()),
            creating: fixture == nil,
            now: Timestamp(Date())
        )
        defer {
            try? store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try await store.decisions.requireSecond(for: fourEyes, by: AccessOrigin(actor: "test"), now: Timestamp(Date()))
        let worker = try await store.upkeep.startWorker(id: UUID().uuidString, command: "serve", now: Timestamp(Date()))
        var settings = EngineSettings()
        settings.intakeFreeSpace = 0
        settings.frontWait = .zero
        let engine = Engine(
            store: store,
            worker: worker,
            ports: Self.outside,
            settings: settings,
            time: Self.still,
            isFull: {
                intake.arrivals.signal()
                await intake.gate.pass()
                return false
            },
            events: { event in
                if case .changed(let change) = event, !change.state.isRunnable { intake.ends.signal() }
            }
        )
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            if isWorking { tasks.addTask { try await engine.run { for await _ in ends {} } } }
            let result: Result<Value, any Error>
            do { result = .success(try await body(store, engine)) } catch { result = .failure(error) }
            end.finish()
            try await tasks.waitForAll()
            try await store.upkeep.stop(worker, now: Timestamp(Date()))
            return try result.get()
        }
    }

    /// No wait ends by itself: a stage looks for work when it is told to, and not because a second has passed.
    private static let still = EngineTime(
        now: EngineTime.system.now,
        steady: EngineTime.system.steady,
        sleep: { _ in try await Task.sleep(for: .seconds(1_000_000)) }
    )

    /// What a photo shows stands at the beginning of its bytes: `broken`, `unread`, or a front.
    private static func shows(_ mark: String, _ image: Data) -> Bool {
        String(decoding: image.prefix(100), as: UTF8.self).contains(mark)
    }

    static var outside: EnginePorts {
        EnginePorts(
            read: { _ in throw CodedError(.sourceUnreadable, .input, "there are no files here") },
            prepare: { source, _ in
                guard !Self.shows("broken", source) else {
                    throw CodedError(ReasonCode(rawValue: "image_truncated"), .input, "the image is cut off")
                }
                return PreparedImage(jpeg: source, width: 100, height: 63, digest: ContentDigest(of: source))
            },
            shrink: { _ in nil },
            fetcher: ClosureFetcher { _, _ in
                .failed(RemoteFailure(.transient, code: "fetch_server_error", message: "it failed"))
            },
            verifier: ClosureVerifier { image in
                guard !Self.shows("unread", image.jpeg) else {
                    return .failed(RemoteFailure(.rejected, code: "NO_CARD", message: "there is no card"))
                }
                let fields = CardFields(name: "样本甲", number: "11010519491231002X")
                let legality = Legality(vendorScores: ["ID Photo": 0.9])
                return .read(CardReading(side: .front, fields: fields, legality: legality))
            },
            backend: ClosureBackend { _ in .accepted(alreadyExisted: false, code: "000000") }
        )
    }
}

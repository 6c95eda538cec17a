import CardEngine
import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardStore

/// A pipeline over a real sandbox, with an outside that the test scripts. A photo's bytes say what it shows: `front 1` names
/// the side and the holder, so the verifier reads marks instead of pixels.
final class EngineHarness: Sendable {
    /// What a host answers.
    typealias HostAnswer = @Sendable (FetchRequest, Fetcher.StorePiece) async throws -> FetchOutcome

    struct State {
        var events: [PipelineEvent] = []
        var verified: [String] = []
        var verifyFailures: [String: [RemoteFailure]] = [:]
        var delivered: [Delivered] = []
        var deliveries: [@Sendable (OutboundDelivery) -> DeliveryOutcome?] = []
        var tokens = ["TOKEN-1"]
        var engine: Engine?
        /// So many prepared cards are as many as may be under way.
        var queueDepth = Int.max
        var worker: Worker?
        /// Called with the photo and the running engine while a verification is under way.
        var onVerify: (@Sendable (_ photo: String, _ engine: Engine) async throws -> Void)?
        /// Told of what happens, with the running engine.
        var onEvent: (@Sendable (PipelineEvent, _ engine: Engine) -> Void)?
        var fetches: [String: HostAnswer] = [:]
        var fetched: [String] = []
        /// How often preparing fails for lack of memory.
        var preparingFailures = 0
        /// Waited for before an image is prepared.
        var onPreparing: (@Sendable (String) async throws -> Void)?
        /// How often making an image smaller fails for lack of memory.
        var shrinkingFailures = 0
        var onDeliver: (@Sendable () async throws -> Void)?
        /// Waited for while the TOKEN is read again.
        var onRefresh: (@Sendable () async -> Void)?
        /// How a photo is answered, in place of its reading.
        var answerVerification: (@Sendable (String) -> VerificationOutcome?)?
        /// How a form is answered that holds these photos, in place of taking them.
        var answerDelivery: (@Sendable (String) -> DeliveryOutcome?)?
        /// What was posted to the backend, whatever it answered.
        var posted: [(key: String, photo: String)] = []
        /// What answers are read with.
        var terms = "terms"
    }

    /// What the backend took in.
    struct Delivered: Hashable {
        var key: String
        var photos: [String]
    }

    let folder: String
    let store: Sandbox
    private let ring: KeyRing
    private let owner: EngineHarness?
    let state = Mutex(State())
    /// Passes when nothing else can happen.
    let time = ManualTime()

    init() async throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString)").path
        self.ring = KeyRing(VaultKey.random())
        self.owner = nil
        self.store = try await Sandbox.open(
            path: self.folder + "/sandbox",
            kind: .real,
            ring: self.ring,
            creating: true,
            now: Timestamp(Date())
        )
        try FileManager.default.createDirectory(atPath: self.folder + "/photos", withIntermediateDirectories: true)
        self.time.settle { [weak self] in await self?.settle() }
    }

    /// Another process over the sandbox of a harness, which must outlive it.
    init(sharing other: EngineHarness) async throws {
        self.folder = other.folder
        self.ring = other.ring
        self.owner = other
        self.store = try await Sandbox.open(
            path: self.folder + "/sandbox",
            kind: .real,
            ring: self.ring,
            creating: false,
            now: Timestamp(Date())
        )
    }

    deinit {
        try? self.store.close()
        if self.owner == nil { try? FileManager.default.removeItem(atPath: self.folder) }
    }

    // MARK: Inputs

    /// Makes photo files and lists them: `["N1": ["front 0", "back"]]`.
    func items(_ photos: KeyValuePairs<String, [String]>) throws -> [[Photo]] {
        try self.items(photos.map { ($0.key, $0.value) })
    }

    func items(_ photos: [(String, [String])]) throws -> [[Photo]] {
        try photos.map { number, texts in
            try texts.map { text in
                let path = self.folder + "/photos/\(number) \(text).jpg"
                if !FileManager.default.fileExists(atPath: path) {
                    try Data("\(number) \(text)".utf8).write(to: URL(filePath: path))
                }
                var status = stat()
                guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
                return Photo(
                    .file(FileIdentity(path: path, status)),
                    name: Redacted(path),
                    metadata: CardMetadata(businessNumber: BusinessNumber(stored: number))
                )
            }
        }
    }

    // MARK: The outside

    func settings(
        layout: DeliveryLayoutKind = .single,
        _ change: (inout EngineSettings) -> Void = { _ in }
    ) -> EngineSettings {
        var settings = EngineSettings()
        settings.policy = CasePolicy(layout: layout)
        settings.retry = RetryPolicy(base: .milliseconds(1), cap: .milliseconds(2))
        // No test ends by it: on a busy machine nothing may move on for a while.
        settings.patience = .seconds(600)
        change(&settings)
        return settings
    }

    /// Ends when what is being written has been written, and what that led to.
    func settle() async {
        for _ in 0..<2 { try? await self.store.write { _ in } }
    }

    /// Runs a batch to its end with a worker of its own.
    @discardableResult
    func run(
        _ groups: [[Photo]],
        _ settings: EngineSettings? = nil,
        time: EngineTime = .system
    ) async throws -> [Stage: RemoteFailure] {
        try await self.withEngine(settings, time: time) { try await $0.runBatch(groups) }
    }

    /// Takes photos in singly, as they come, and lets the engine go on until a time.
    func take(
        _ items: some Sequence<Photo> & Sendable,
        _ settings: EngineSettings,
        _ time: ManualTime,
        until end: Duration
    ) async throws {
        // Four stages, the heartbeat, erasing, the figures and the decisions: none waits for the end.
        try await time.passing(whenAsleep: 8) {
            try await self.withEngine(settings, time: time.engineTime) { engine in
                try await engine.run {
                    for item in items { _ = try await engine.intake().admit(item) }
                    await time.reached(end)
                }
            }
        }
    }

    /// Lends a body an engine with a worker of its own.
    func withEngine<Value: Sendable>(
        _ settings: EngineSettings? = nil,
        time: EngineTime = .system,
        _ body: (Engine) async throws -> Value
    ) async throws -> Value {
        let worker = try await self.store.upkeep.startWorker(
            id: UUID().uuidString,
            command: "run",
            now: Timestamp(Date())
        )
        let engine = Engine(
            store: self.store,
            worker: worker,
            ports: self.ports,
            settings: settings ?? self.settings(),
            time: time,
            isFull: {
                var prepared = CardFilter()
                prepared.states = [.prepared]
                let count = try await self.store.listings.cards(prepared, after: 0, limit: 100, for: .process).count
                return count > self.state.withLock { $0.queueDepth }
            },
            events: { event in
                let (onEvent, engine) = self.state.withLock { state in
                    state.events.append(event)
                    return (state.onEvent, state.engine)
                }
                if let onEvent, let engine { onEvent(event, engine) }
            }
        )
        self.state.withLock { ($0.engine, $0.worker) = (engine, worker) }
        let end: Result<Value, any Error>
        do { end = .success(try await body(engine)) } catch { end = .failure(error) }
        self.state.withLock { $0.engine = nil }
        try await self.store.upkeep.stop(worker, now: Timestamp(Date()))
        return try end.get()
    }

    /// Holds the writer until other connections have run so many statements that a test counts.
    func holdWriter(untilReading total: Int, counting count: @escaping @Sendable (String) -> Int) async throws {
        let (isHeld, isRead, all) = (Happening(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup { group in
            for index in 1...Limits.readers {
                group.addTask {
                    try await self.store.database.read { tx in
                        tx.trace { statement in for _ in 0..<count(statement) { isRead.signal() } }
                        // All at once, so that each is another connection.
                        if index < Limits.readers { all.wait() } else { for _ in 1..<index { all.signal() } }
                    }
                }
            }
            try await group.waitForAll()
        }
        Task {
            try await self.store.write { _ in
                isHeld.happen()
                for _ in 0..<total { isRead.wait() }
            }
        }
        try await isHeld.wait()
    }

    /// Takes the lock file of the running worker away, as somebody does who takes its process for dead.
    func removeWorkerLock() throws {
        let worker = self.state.withLock { $0.worker?.id ?? "" }
        try FileManager.default.removeItem(atPath: self.folder + "/sandbox/workers/" + worker)
    }

    private var ports: EnginePorts {
        EnginePorts(
            read: { file in
                guard let data = FileManager.default.contents(atPath: file.path.reveal()) else {
                    throw CodedError(.sourceUnreadable, .input, "the file cannot be read")
                }
                return data
            },
            prepare: { source, _ in
                try self.lackMemory(\.preparingFailures)
                let text = String(decoding: source, as: UTF8.self)
                try await self.state.withLock { $0.onPreparing }?(text)
                guard !text.contains("heavy") else {
                    throw CodedError(ReasonCode(rawValue: "image_timeout"), .temporary, "the image takes too long")
                }
                guard !text.contains("broken") else {
                    throw CodedError(ReasonCode(rawValue: "image_truncated"), .input, "the image is cut off")
                }
                return PreparedImage(jpeg: source, width: 100, height: 63, digest: ContentDigest(of: source))
            },
            shrink: { image in
                try self.lackMemory(\.shrinkingFailures)
                let jpeg = image.jpeg + Data(" small".utf8)
                return PreparedImage(jpeg: jpeg, width: 50, height: 31, digest: ContentDigest(of: jpeg))
            },
            fetcher: ClosureFetcher { request, keep in
                let address = request.address.reveal()
                let answer = self.state.withLock { state in
                    state.fetched.append(address)
                    return state.fetches[address]
                }
                guard let answer else { return .failed(.specimen(.transient, code: "fetch_server_error")) }
                return try await answer(request, keep)
            },
            verifier: self.verifier,
            backend: self.backend
        )
    }

    /// Fails as often as the test says.
    private func lackMemory(_ failures: WritableKeyPath<State, Int>) throws {
        let fails = self.state.withLock { state in
            state[keyPath: failures] -= 1
            return state[keyPath: failures] >= 0
        }
        if fails { throw CodedError(ReasonCode(rawValue: "image_memory"), .storage, "there is no memory") }
    }

    private var verifier: ClosureVerifier {
        var verifier = ClosureVerifier { try await self.verify(String(decoding: $0.jpeg, as: UTF8.self)) }
        verifier.terms = Redacted(self.state.withLock { $0.terms })
        return verifier
    }

    private var backend: ClosureBackend {
        var backend = ClosureBackend { delivery in
            try await self.state.withLock { $0.onDeliver }?()
            return self.send(delivery)
        }
        backend.terms = Redacted(self.state.withLock { $0.terms })
        backend.first = { [.text(self.state.withLock { $0.tokens[0] }, name: "TOKEN")] }
        backend.refresh = { parts in
            await self.state.withLock { $0.onRefresh }?()
            return self.state.withLock { state in
                guard parts.contains(.text(state.tokens[0], name: "TOKEN")) else { return true }
                guard state.tokens.count > 1 else { return false }
                state.tokens.removeFirst()
                return true
            }
        }
        return backend
    }

    private func verify(_ photo: String) async throws -> VerificationOutcome {
        let failure = self.state.withLock { state -> RemoteFailure? in
            state.verified.append(photo)
            guard let key = state.verifyFailures.keys.first(where: photo.contains),
                !(state.verifyFailures[key]?.isEmpty ?? true)
            else { return nil }
            return state.verifyFailures[key]?.removeFirst()
        }
        let (onVerify, engine) = self.state.withLock { ($0.onVerify, $0.engine) }
        if let onVerify, let engine { try await onVerify(photo, engine) }
        if let failure { return .failed(failure) }
        if let outcome = self.state.withLock({ $0.answerVerification })?(photo) { return outcome }
        let legality = Legality(vendorScores: ["ID Photo": 0.9])
        if photo.contains("back") {
            let fields = CardFields(issuer: "北京市公安局东城分局", validity: "2010.11.13-长期")
            return .read(CardReading(side: .back, fields: fields, legality: legality))
        }
        let holder = photo.contains("other") ? "440524188001010014" : "11010519491231002X"
        return .read(
            CardReading(side: .front, fields: CardFields(name: "SPECIMEN", number: holder), legality: legality)
        )
    }

    private func send(_ delivery: OutboundDelivery) -> DeliveryOutcome {
        self.state.withLock { state in
            if !state.deliveries.isEmpty, let outcome = state.deliveries.removeFirst()(delivery) { return outcome }
            let photos = delivery.parts.compactMap { part -> String? in
                guard case .image(let card, _, _) = part.content else { return nil }
                return String(decoding: delivery.images[card] ?? Data(), as: UTF8.self)
            }
            state.posted += photos.map { (delivery.idempotencyKey, $0) }
            if let outcome = state.answerDelivery?(photos.joined(separator: ",")) { return outcome }
            state.delivered.append(Delivered(key: delivery.idempotencyKey, photos: photos))
            return .accepted(alreadyExisted: false, code: "000000")
        }
    }

    /// Has the host of an address answer so.
    func host(_ address: String, _ answer: @escaping HostAnswer) {
        self.state.withLock { $0.fetches[address] = answer }
    }

    /// Has the backend answer the next deliveries so; `nil` accepts one.
    func answer(_ count: Int = 1, _ answer: @escaping @Sendable (OutboundDelivery) -> DeliveryOutcome?) {
        self.state.withLock { $0.deliveries = Array(repeating: answer, count: count) }
    }

    // MARK: What came of it

    var delivered: [[String]] { self.state.withLock { $0.delivered.map(\.photos) } }

    /// What was told of each event that a body finds something in.
    func reporting<Value: Sendable>(_ body: (PipelineEvent) -> Value?) -> [Value] {
        self.state.withLock { $0.events.compactMap(body) }
    }

    /// The one card of the sandbox, with its history.
    func onlyCard() async throws -> CardDetails {
        let card = try #require(
            try await self.store.listings.cards(CardFilter(), after: 0, limit: 1, for: .process).first
        )
        return try await self.store.listings.reveal(card.id, to: AccessOrigin(actor: "test"), now: Timestamp(Date()))
    }

    /// The state, and the reason, of the card of each photo, by the name of its file.
    func states() async throws -> [String: String] {
        var states: [String: String] = [:]
        for card in try await self.store.listings.cards(CardFilter(), after: 0, limit: 1000, for: .process) {
            let details = try await self.store.listings.reveal(
                card.id,
                to: AccessOrigin(actor: "test"),
                now: Timestamp(Date())
            )
            let path = details.submitted?.inputName ?? "?"
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent
            states[name] = card.state.rawValue + (card.reason.map { " \($0.rawValue)" } ?? "")
        }
        return states
    }
}

extension Photo {
    /// An image by URL.
    static func at(_ address: String, _ number: String) -> Photo {
        Photo(
            .address(Redacted(address)),
            name: Redacted(address),
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: number))
        )
    }
}

import Foundation
import IDCardCore
import IDCardDelivery
import IDCardPipeline
import IDCardSandbox
import IDCardTesting
import IDCardVerification
import Logging
import OutboundHTTP
import Synchronization
import Testing

/// A sandbox on disk, two fault servers, and engines that meet them by the real clients over real sockets.
final class FireRange: Sendable {
    private struct State {
        var store: SandboxStore
        var token = "token-1"
        var pauses: [Stage: StagePause] = [:]
    }

    let plan: FirePlan
    let verifier: FaultServer
    let backend: FaultServer
    let verifierPort: Int
    let backendPort: Int
    let verifications = OutcomeLog()
    let deliveries = OutcomeLog()
    let events = EventLog()
    private let folder: String
    private let state: Mutex<State>

    init(_ plan: FirePlan) async throws {
        self.plan = plan
        self.folder = NSTemporaryDirectory() + "under-fire-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        self.state = Mutex(State(store: try Self.openSandbox(self.folder)))
        self.verifier = FaultServer(options: plan.verifierOptions) { request, _ in plan.verifier(request) }
        self.backend = FaultServer(options: plan.backendOptions) { request, _ in plan.backend(request, plan.ledger) }
        self.verifierPort = try await self.verifier.start()
        self.backendPort = try await self.backend.start()
    }

    /// Stops the servers and removes the sandbox.
    func close() async throws {
        await self.verifier.stop()
        await self.backend.stop()
        try await self.store.close()
        try FileManager.default.removeItem(atPath: self.folder)
    }

    private static let key = VaultKey.random()

    private static func openSandbox(_ folder: String) throws -> SandboxStore {
        try SandboxStore.open(
            directory: folder + "/sandbox",
            options: SandboxOptions(endpoints: .external, vault: .encrypted(KeyRing(Self.key)))
        )
    }

    /// The sandbox that is open now.
    var store: SandboxStore { self.state.withLock { $0.store } }
    /// The backend's books.
    var ledger: Ledger { self.plan.ledger }
    /// The stages that had stopped when the last engine ended.
    var pauses: [Stage: StagePause] { self.state.withLock { $0.pauses } }
    /// The TOKEN that forms are written with.
    var token: String { self.state.withLock { $0.token } }

    /// Gives out another TOKEN.
    func renewToken(_ token: String) {
        self.state.withLock { $0.token = token }
    }

    /// Closes the sandbox and opens it again, as the next process does.
    func reopen() async throws {
        try await self.store.close()
        let store = try Self.openSandbox(self.folder)
        self.state.withLock { $0.store = store }
    }

    // MARK: Inputs

    /// Writes a photo and names it as an input.
    func photo(_ text: String, number: String, bytes: Int = 0) throws -> IntakeItem {
        let name = UUID().uuidString + ".jpg"
        try PhotoLine.image(text, bytes: bytes).write(to: URL(filePath: self.folder + "/" + name))
        return IntakeItem(
            source: name,
            path: self.folder + "/" + name,
            disposition: .take(CardMetadata(businessNumber: try #require(BusinessNumber(number))))
        )
    }

    /// So many fronts of as many business numbers.
    func fronts(_ count: Int, bytes: Int = 0) throws -> [IntakeItem] {
        try (1...count).map { try self.photo("front;\(Self.holder);\($0)", number: "B-\($0)", bytes: bytes) }
    }

    /// The front and the back of one business number.
    func pair(_ number: String) throws -> [IntakeItem] {
        [
            try self.photo("front;\(Self.holder);\(number)", number: number),
            try self.photo("back;\(number)", number: number),
        ]
    }

    /// The number of an invented person.
    static let holder = "110101199003070011"

    // MARK: Running

    /// Runs one engine with clients of its own to its end, as one process does.
    ///
    /// - Parameters:
    ///   - items: the inputs.
    ///   - later: how much later than now it runs, as its clock says.
    ///   - change: changes the plan for this run; the servers stay as they are.
    @discardableResult
    func run(
        _ items: [IntakeItem],
        later: Duration = .zero,
        change: (inout FirePlan) -> Void = { _ in },
        backendPort: Int? = nil
    ) async throws -> BatchEnding {
        var plan = self.plan
        change(&plan)
        let clients = FireClients(self, plan: plan, backendPort: backendPort ?? self.backendPort)
        let engine = Engine(
            store: self.store,
            ports: EnginePorts(
                preparation: Self.preparation,
                verifier: try clients.verifier(),
                backend: try clients.backend(),
                pool: InlineWork(),
                time: .system.later(by: later)
            ),
            settings: plan.settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            observer: { self.events.add($0) }
        )
        let ending: Result<BatchEnding, any Error>
        do { ending = .success(try await engine.runBatch(items)) } catch { ending = .failure(error) }
        await clients.shutdown()
        self.state.withLock { $0.pauses = engine.pauses }
        return try ending.get()
    }

    private static let preparation = ImagePreparation(
        prepare: { .prepared(FireRange.image($0)) },
        shrink: { PhotoLine.halved($0.jpeg).map(FireRange.image) }
    )

    private static func image(_ jpeg: Data) -> PreparedImage {
        PreparedImage(jpeg: jpeg, width: 856, height: 540, digest: ContentDigest(of: jpeg))
    }

    // MARK: Looking

    /// All cards by the order of their intake.
    func cards() async throws -> [Card] {
        try await self.store.cards(matching: CardQuery(limit: 1000))
    }

    /// The states of all cards by the order of their intake, with reasons: `held:outcome_unknown`.
    func states() async throws -> [String] {
        try await self.cards().map { $0.state.rawValue + ($0.reason.map { ":\($0)" } ?? "") }
    }

    /// The same by business number, where each has one card.
    func statesByNumber() async throws -> [String: String] {
        let pairs = zip(try await self.cards().map(\.metadata.businessNumber.rawValue), try await self.states())
        return Dictionary(pairs) { $0 + " " + $1 }
    }

    /// How many cards are in each state.
    func counts() async throws -> [CardState: Int] {
        try await self.store.stateCounts()
    }

    /// The stages that have stopped, as the sandbox shows it.
    func storedPauses() async throws -> [Stage: StagePause] {
        try await self.store.pauses()
    }

    /// The codes of the attempts in the history of every card, by the order of their intake.
    func attemptCodes() async throws -> [[String]] {
        var codes: [[String]] = []
        for card in try await self.cards() {
            let events = try await self.store.details(of: card.id)?.events ?? []
            codes.append(events.filter { $0.kind == "attempt" }.compactMap(\.code))
        }
        return codes
    }
}

/// Runs a test on a range of its own.
func withFireRange(_ plan: FirePlan = FirePlan(), run: (FireRange) async throws -> Void) async throws {
    let range = try await FireRange(plan)
    do {
        try await run(range)
    } catch {
        // The error of the test is the one to report.
        try? await range.close()
        throw error
    }
    try await range.close()
}

extension PipelineTime {
    /// The same clock, set forward.
    func later(by offset: Duration) -> PipelineTime {
        PipelineTime(
            now: { self.now().advanced(by: offset) },
            sleep: { until in
                // A clock's own waiting, which an engine asks for.
                try await self.sleep(until.advanced(by: .zero - offset))
            }
        )
    }
}

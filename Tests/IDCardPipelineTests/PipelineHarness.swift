import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox
import IDCardTesting
import Logging
import Metrics
import Testing

/// Which store an engine test runs over.
enum StoreKind: String, CaseIterable, Sendable {
    case memory
    case sqlite
}

/// An engine over a fresh store with scripted remote sides, and a folder for photos.
final class PipelineHarness: Sendable {
    let folder: String
    let store: any CardStore
    let verifier: ScriptedVerifier
    let backend: LedgerBackend
    let settings: EngineSettings
    let log = EventLog()
    private let kind: StoreKind
    /// Called with every image that is about to be prepared.
    private let onPrepare: @Sendable (Data) -> Void
    private let prepareIsolated: (@Sendable (Data) -> ImagePreparation.Outcome)?
    /// Answers in place of the usual preparation, if it does.
    private let prepareFirst: @Sendable (Data) -> ImagePreparation.Outcome?
    private let fetcher: ImageFetcher?
    private let time: PipelineTime
    private let metrics: any MetricsFactory

    init(
        _ kind: StoreKind,
        verifier: ScriptedVerifier = ScriptedVerifier(),
        backend: LedgerBackend = LedgerBackend(),
        time: PipelineTime = .system,
        settings: (inout EngineSettings) -> Void = { _ in },
        onPrepare: @escaping @Sendable (Data) -> Void = { _ in },
        prepareIsolated: (@Sendable (Data) -> ImagePreparation.Outcome)? = nil,
        prepareFirst: @escaping @Sendable (Data) -> ImagePreparation.Outcome? = { _ in nil },
        fetcher: ImageFetcher? = nil,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws {
        self.prepareFirst = prepareFirst
        self.fetcher = fetcher
        self.kind = kind
        self.time = time
        self.metrics = metrics
        self.onPrepare = onPrepare
        self.prepareIsolated = prepareIsolated
        self.folder = NSTemporaryDirectory() + "pipeline-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        switch kind {
        case .memory: self.store = InMemoryStore()
        case .sqlite: self.store = try Self.openSandbox(self.folder, now: time.now())
        }
        self.verifier = verifier
        self.backend = backend
        var tuned = EngineSettings()
        tuned.retry = RetryPolicy(base: .milliseconds(1), cap: .milliseconds(5))
        tuned.patience = .seconds(30)
        // Seldom, so that clocks that tests move by hand are waited for by those only that a test is about.
        tuned.takeBackInterval = .seconds(60)
        settings(&tuned)
        self.settings = tuned
    }

    deinit {
        // A temporary folder that cannot be removed is the system's to clean up.
        try? FileManager.default.removeItem(atPath: self.folder)
    }

    private static let key = VaultKey.random()

    /// - Parameter now: the time by the clock of the engine, which the sandbox sees, too.
    private static func openSandbox(_ folder: String, now: Timestamp) throws -> SandboxStore {
        try SandboxStore.open(
            directory: folder + "/sandbox",
            options: SandboxOptions(endpoints: .embedded, vault: .encrypted(KeyRing(Self.key)), now: now)
        )
    }

    /// Opens the store as another owner, as another process does.
    func another() throws -> any CardStore {
        if let store = self.store as? InMemoryStore { return InMemoryStore(sharing: store) }
        return try Self.openSandbox(self.folder, now: self.time.now())
    }

    /// Writes a photo and names it as an input.
    func photo(
        _ name: String,
        _ text: String,
        number: String = "B-1",
        side: CardSide? = nil,
        priority: Int = 0
    ) throws -> IntakeItem {
        let path = self.folder + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        let businessNumber = try #require(BusinessNumber(number))
        return IntakeItem(
            source: name,
            path: path,
            disposition: .take(CardMetadata(businessNumber: businessNumber, side: side, priority: priority))
        )
    }

    /// Puts a folder in the place of a photo: then nobody can read it, not even root.
    func makeUnreadable(_ item: IntakeItem) throws {
        try FileManager.default.removeItem(atPath: item.path.reveal())
        try FileManager.default.createDirectory(atPath: item.path.reveal(), withIntermediateDirectories: false)
    }

    /// An engine; several may follow each other over the one store.
    func engine(
        verifier: ScriptedVerifier? = nil,
        patience: Duration? = nil,
        equalRefusals: Int? = nil
    ) -> Engine {
        var settings = self.settings
        settings.patience = patience ?? settings.patience
        settings.equalRefusals = equalRefusals ?? settings.equalRefusals
        return Engine(
            store: self.store,
            ports: EnginePorts(
                preparation: ImagePreparation(
                    prepare: { source in
                        self.onPrepare(source)
                        if let outcome = self.prepareFirst(source) { return outcome }
                        guard !source.starts(with: Data("broken".utf8)) else {
                            return .refused(ReasonCode(rawValue: "image_corrupt"), message: "broken")
                        }
                        return .prepared(
                            PreparedImage(jpeg: source, width: 1, height: 1, digest: ContentDigest(of: source))
                        )
                    },
                    prepareIsolated: self.prepareIsolated,
                    shrink: { image in
                        guard image.jpeg.count > 1 else { return nil }
                        let smaller = image.jpeg.dropLast()
                        return PreparedImage(jpeg: smaller, width: 1, height: 1, digest: ContentDigest(of: smaller))
                    }
                ),
                verifier: (verifier ?? self.verifier).port,
                backend: self.backend.port,
                fetcher: self.fetcher,
                pool: InlineWork(),
                time: self.time,
                metrics: self.metrics
            ),
            settings: settings,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            observer: { self.log.add($0) }
        )
    }

    /// Runs a batch to its end.
    @discardableResult
    func run(_ items: [IntakeItem]) async throws -> BatchEnding {
        try await self.engine().runBatch(items)
    }

    /// All cards by the order of their intake.
    func cards() async throws -> [Card] {
        try await self.store.cards(matching: CardQuery(limit: 1000))
    }

    /// The states of all cards by the order of their intake, with reasons: `held:holder_conflict`.
    func states() async throws -> [String] {
        try await self.cards().map { card in
            card.state.rawValue + (card.reason.map { ":\($0)" } ?? "")
        }
    }

    /// What the engine said about each input, by index.
    func results() -> [Int: InputResult] {
        var results: [Int: InputResult] = [:]
        for case .input(let index, let result) in self.log.events { results[index] = result }
        return results
    }
}

/// Identity numbers of two invented persons.
enum Holder {
    static let first = "110101199003070011"
    static let second = "65010220101130123X"
}

import CardEngine
import CardModel
import CardStore
import Foundation
import HTTPTypes
import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import CardServer

/// A server on a free port over a real sandbox and an engine with a scripted outside, and a client of it.
struct ServerHarness: Sendable {
    struct State {
        /// Whether the server says that as many cards are under way as may be.
        var isFull = false
        /// How often the server was asked for that.
        var looks = 0
        /// What a run of the source `inbox` looks like once it is asked for.
        var run: RunStatus?
    }

    let port: Int
    let server: CardServer
    let store: Sandbox
    let metrics: ServerMetrics
    let log: LogLines
    let group: ServiceGroup
    let tls: NIOSSLContext?
    let intake: Intake

    /// What happens while a photo is taken in.
    struct Intake: Sendable {
        let state = Mutexed(State())
        /// Closed, it holds every photo that is about to be taken in.
        let gate = TestSupport.Gate(isOpen: true)
        /// Photos that are about to be taken in.
        let arrivals = AsyncSignal()
        /// Cards that reached their end.
        let ends = AsyncSignal()
    }

    final class Mutexed<Value: Sendable>: Sendable {
        private let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
        func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { self.value.withLock { body(&$0) } }
    }

    /// One token for each scope, and one with all; the secret is the name.
    static let tokens: [AccessToken] =
        [
            ("submitter", [TokenScope.submit]), ("reader", [.read]), ("auditor", [.audit]), ("runner", [.run]),
            ("operator", [.operate]), ("all", [.submit, .read, .operate]),
        ].map { name, scopes in ServerHarness.token(name, Set(scopes)) } + [
            ServerHarness.token("wang", of: "branch", [.submit, .read]),
            ServerHarness.token("li", of: "branch", [.submit, .read]),
            ServerHarness.token("as-local", of: "local", [.submit, .read]),
        ]

    static func token(
        _ name: String,
        of submitter: String? = nil,
        _ scopes: Set<TokenScope>,
        expiresAt: Date? = nil,
        secret: String? = nil
    ) -> AccessToken {
        AccessToken(
            name: name,
            submitter: submitter,
            scopes: scopes.sorted(),
            createdAt: Date(timeIntervalSince1970: 0),
            expiresAt: expiresAt,
            digest: AccessToken.digest(of: secret ?? name)
        )
    }

    /// Starts a server, and ends it gracefully afterwards.
    ///
    /// - Parameter isWorking: whether the engine works on the cards, too.
    static func with<Value: Sendable>(
        _ configure: (inout CardServer.Configuration) throws -> Void = { _ in },
        isWorking: Bool = false,
        fourEyes: Set<DecisionAction> = [],
        fixture: FixtureSandbox? = nil,
        client: NIOSSLContext? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        _ body: (ServerHarness) async throws -> Value
    ) async throws -> Value {
        var configuration = CardServer.Configuration()
        configuration.port = 0
        configuration.intakeFreeSpace = 0
        configuration.tokens = { () throws(CodedError) in Self.tokens }
        try configure(&configuration)
        let intake = Intake()
        return try await Self.withEngine(intake, isWorking: isWorking, fourEyes: fourEyes, fixture: fixture) {
            store,
            engine in
            let ports = Self.ports(store, engine, intake, now: now)
            return try await Self.serve(configuration, ports, intake, store, client, body)
        }
    }

    /// What a server works with; runs on demand are those of the source `inbox`.
    static func ports(
        _ store: Sandbox,
        _ engine: Engine,
        _ intake: Intake,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> CardServer.Ports {
        var ports = CardServer.Ports(
            engine: engine,
            store: store,
            addressRefusal: { address in
                guard address.reveal().contains("//images.example.com/") else {
                    return CodedError(ReasonCode(rawValue: "fetch_host_refused"), .input, "the host is not listed")
                }
                return nil
            }
        )
        ports.now = now
        ports.isFull = {
            intake.state.withLock { state in
                state.looks += 1
                return state.isFull
            }
        }
        ports.startRun = { source, _ in source == "inbox" ? intake.state.withLock { $0.run } : nil }
        ports.run = { id in intake.state.withLock { $0.run }.flatMap { $0.runID == id ? $0 : nil } }
        ports.runs = { intake.state.withLock { $0.run }.map { [$0] } ?? [] }
        return ports
    }

    private static func serve<Value: Sendable>(
        _ configuration: CardServer.Configuration,
        _ ports: CardServer.Ports,
        _ intake: Intake,
        _ store: Sandbox,
        _ client: NIOSSLContext?,
        _ body: (ServerHarness) async throws -> Value
    ) async throws -> Value {
        let (bound, announce) = AsyncStream.makeStream(of: Int.self)
        let (log, metrics) = (LogLines(), ServerMetrics())
        let server = try CardServer(
            configuration: configuration,
            ports: ports,
            metrics: metrics,
            logger: log.logger,
            onRunning: { announce.yield($0) }
        )
        let group = ServiceGroup(services: [server], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await group.run()
            }
            guard let port = await bound.first(where: { _ in true }) else {
                try await tasks.waitForAll()
                throw CancellationError()
            }
            let harness = ServerHarness(
                port: port,
                server: server,
                store: store,
                metrics: metrics,
                log: log,
                group: group,
                tls: client,
                intake: intake
            )
            let result: Result<Value, any Error>
            do { result = .success(try await body(harness)) } catch { result = .failure(error) }
            intake.gate.open()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    // MARK: Talking to it

    func connected<Value: Sendable>(
        from source: String = "127.0.0.1",
        _ body: (RawConnection) async throws -> Value
    ) async throws -> Value { try await RawConnection.with(port: self.port, from: source, tls: self.tls, body) }

    /// Sends one request on a connection of its own, and checks that its answer is documented.
    @discardableResult
    func send(_ request: RawRequest) async throws -> RawResponse {
        let response = try await self.connected { connection in
            try await connection.send(request.bytes)
            return try #require(try await connection.response())
        }
        self.expectDocumented(response, to: request)
        return response
    }

    /// Whether the document knows the answer's status, its members, and the code of a problem, for this operation.
    private func expectDocumented(_ response: RawResponse, to request: RawRequest) {
        let path = request.target.split(separator: "?")[0].split(separator: "/")
        let operation = APIOperation.all.first { operation in
            let template = operation.path.split(separator: "/")
            return operation.method.rawValue == request.method && template.count == path.count
                && zip(template, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        guard let operation else { return }
        OpenAPIShape.expect(response, of: operation)
        guard response.status >= 400, response["content-type"] == Problem.mediaType else { return }
        #expect(
            operation.problems.map(\.name).contains(response.code ?? ""),
            "\(operation.path) answered \(response.code ?? "nothing"), which is not documented"
        )
    }

    /// Puts a card of a submitter into the sandbox, under a number of its own, without a word to the engine.
    @discardableResult
    func admit(of submitter: String) async throws -> CardID {
        let id = CardID(rawValue: UUID().uuidString.lowercased())
        let image = Specimen.jpeg(id.rawValue)
        let photo = NewCard(
            id: id,
            photo: Photo(
                .bytes(image, ContentDigest(of: image)),
                name: Redacted("photo"),
                metadata: CardMetadata(businessNumber: BusinessNumber(stored: id.rawValue))
            ),
            submitter: submitter,
            source: nil,
            content: .received(image),
            waitsUntil: Timestamp(Date())
        )
        _ = try await self.store.intake.admit([photo], now: Timestamp(Date()))
        return id
    }

    func cards() async throws -> [Card] {
        try await self.store.listings.cards(CardFilter(), after: 0, limit: 100, for: .process)
    }
}

import Foundation
import HTTPTypes
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization
import Testing

@testable import IDCardServer

/// A server on a free port over fakes, and a client of it.
struct ServerHarness: Sendable {
    let port: Int
    let server: CardServer
    let store: InMemoryStore
    let intake: FakeIntake
    let spooling: MemorySpooling
    let runs: FakeRuns
    let metrics: PrometheusMetrics
    let log: LogLines
    let group: ServiceGroup
    let tls: NIOSSLContext?

    /// One token for each scope, and one with all.
    static let submit = AccessToken(presented: "idcp_submit")
    static let read = AccessToken(presented: "idcp_read")
    static let operate = AccessToken(presented: "idcp_operate")
    static let all = AccessToken(presented: "idcp_all")

    static var records: [TokenRecord] {
        let tokens: [(String, AccessToken, Set<TokenScope>)] = [
            ("submitter", Self.submit, [.submit]), ("reader", Self.read, [.read]),
            ("operator", Self.operate, [.operate]), ("all", Self.all, [.submit, .read, .operate]),
        ]
        return tokens.map { name, token, scopes in
            TokenRecord(
                name: name,
                scopes: scopes,
                createdAt: Date(timeIntervalSince1970: 0),
                expiresAt: nil,
                digest: token.digest
            )
        }
    }

    /// Starts a server, and ends it gracefully afterwards.
    static func with<Value: Sendable>(
        _ configure: (inout CardServer.Configuration) throws -> Void = { _ in },
        tokens: TokenRegister? = nil,
        client: NIOSSLContext? = nil,
        findings: @escaping CardServer.Ports.Findings = { [] },
        now: @escaping @Sendable () -> Timestamp = PipelineTime.system.now,
        _ body: (ServerHarness) async throws -> Value
    ) async throws -> Value {
        var configuration = CardServer.Configuration()
        configuration.port = 0
        try configure(&configuration)
        let store = InMemoryStore()
        let intake = FakeIntake(store)
        let spooling = MemorySpooling()
        let runs = FakeRuns()
        let metrics = PrometheusMetrics()
        let log = LogLines()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try CardServer(
            configuration: configuration,
            ports: CardServer.Ports(
                intake: intake,
                cards: store,
                runs: runs,
                spooling: spooling,
                findings: findings,
                now: now
            ),
            tokens: tokens ?? TokenRegister(Self.records),
            metrics: metrics,
            logger: log.logger,
            onRunning: { port.yield($0) }
        )
        let group = ServiceGroup(services: [server], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var bound: Int?
            for await port in ports {
                bound = port
                break
            }
            let harness = ServerHarness(
                port: try #require(bound),
                server: server,
                store: store,
                intake: intake,
                spooling: spooling,
                runs: runs,
                metrics: metrics,
                log: log,
                group: group,
                tls: client
            )
            do {
                let value = try await body(harness)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return value
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
    }

    /// Opens a connection.
    func connected<Value: Sendable>(_ body: (RawConnection) async throws -> Value) async throws -> Value {
        try await RawConnection.with(port: self.port, tls: self.tls, body)
    }

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

    /// Whether the document knows this status for this operation.
    func expectDocumented(_ response: RawResponse, to request: RawRequest) {
        let path = request.target.split(separator: "?")[0].split(separator: "/")
        let operation = APIOperation.all.first { operation in
            let template = operation.path.split(separator: "/")
            return operation.method.rawValue == request.method && template.count == path.count
                && zip(template, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        guard let operation else { return }
        #expect(
            operation.statuses.contains(response.status),
            "\(operation.id) answered \(response.status), which is not documented"
        )
        guard response.status >= 400, response["content-type"] == Problem.mediaType, let code = response.code else {
            return
        }
        #expect(
            operation.allProblems.map(\.rawValue).contains(code),
            "\(operation.id) answered \(code), which is not documented"
        )
    }
}

extension ServerHarness {
    /// Lets a card be prepared, with an image that no decoder sees.
    func prepare(_ card: CardID) async throws {
        let now = PipelineTime.system.now()
        _ = try await self.store.claimReceived(limit: 100, until: now.advanced(by: .seconds(60)), now: now)
        let jpeg = Data("jpeg of \(card)".utf8)
        let image = PreparedImage(jpeg: jpeg, width: 1, height: 1, digest: ContentDigest(of: jpeg))
        _ = try await self.store.concludePreparing(card, as: .prepared(image), now: now)
    }

    /// Lets a card end as `failed`, which takes no metadata over and can be retried.
    func hold(_ card: CardID) async throws {
        try await self.prepare(card)
        let now = PipelineTime.system.now()
        _ = try await self.store.claimPrepared(limit: 100, until: now.advanced(by: .seconds(60)), now: now)
        _ = try await self.store.conclude(
            card,
            as: .failed(.attemptsExhausted, message: "specimen"),
            attempt: AttemptRecord(failureClass: .transient, code: "specimen", httpStatus: 500, startedAt: now),
            now: now
        )
    }
}

extension ServerHarness {
    /// Lets a card be read by the verifier and accepted.
    func judge(_ card: CardID, name: String) async throws {
        try await self.prepare(card)
        let now = PipelineTime.system.now()
        _ = try await self.store.claimPrepared(limit: 100, until: now.advanced(by: .seconds(60)), now: now)
        let image = try await self.store.preparedImage(of: card)
        _ = try await self.store.conclude(
            card,
            as: .judged(
                CardReading(side: .front, fields: CardFields(name: name)),
                ReadingKey(imageDigest: image.digest, provider: "specimen", parameters: ""),
                .accepted
            ),
            attempt: AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: now),
            now: now
        )
    }
}

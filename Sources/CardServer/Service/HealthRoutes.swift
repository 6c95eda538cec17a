import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers whether the process lives and whether it can work, and serves its metrics.
struct HealthRoutes: Sendable {
    private typealias Readiness = (isReady: Bool, document: JSONObject)

    let intakeService: IntakeService
    let metrics: ServerMetrics
    let connections: ConnectionRegister
    /// The last answer, cached: any client may ask for it, without a token and without a rate limit.
    private let cachedReadiness = CachedValue<Readiness>()
    private let cachedCounts = CachedValue<StoreCounts>()

    /// `GET /healthz`.
    func live() -> Response { Response(json: ["status": "alive"]) }

    /// `GET /readyz`: 503 with the reasons if no card can be admitted, or no client can send one; endpoints do not count.
    func ready() async throws -> Response {
        let readiness = try await self.cachedReadiness.value(for: { _ in Limits.readinessTime }) {
            await self.readiness()
        }
        guard !readiness.isReady else { return Response(json: readiness.document) }
        return Response(json: readiness.document, status: .serviceUnavailable, headers: [.retryAfter: "10"])
    }

    private func readiness() async -> Readiness {
        var refusal: ProblemCode?
        var pauses: [Stage: EndpointPause] = [:]
        do {
            pauses = try await self.pauses()
            refusal = try await self.intakeService.refusal()?.code
            // If there are no webhook secrets and the tokens cannot be read, no client can send a card.
            let configuration = self.intakeService.configuration
            if refusal == nil, configuration.webhookSecrets.isEmpty, (try? configuration.tokens()) == nil {
                refusal = .tokensUnavailable
            }
        } catch {
            refusal = .storeUnavailable
        }
        let disk = HealthIssue(self.intakeService.diskSpace).map { ($0.code, $0.message) }
        let reasons = [disk ?? refusal.map { ($0.name, $0.title) }].compactMap(\.self)
        let document: JSONObject = [
            "status": reasons.isEmpty ? "ready" : "not_ready",
            "reasons": reasons.map { ["code": $0, "message": InWords(wrappedValue: $1)] as JSONObject },
            "stages": Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0.rawValue, Self.status(pauses[$0])) }),
        ]
        return (reasons.isEmpty, document)
    }

    /// The status of a stage's endpoint; unauthenticated clients read it, so it names no host.
    private static func status(_ pause: EndpointPause?) -> JSONObject {
        [
            "status": pause?.state ?? EndpointState.works, "code": pause?.code, "since": pause?.since.description,
            "message": InWords(wrappedValue: pause?.state.message),
        ]
    }

    /// The pause of each stage whose endpoint does not work; of several hosts, that of the worst one, then the oldest.
    private func pauses() async throws -> [Stage: EndpointPause] {
        func rank(_ pause: EndpointPause) -> (Int, Timestamp) {
            (HealthIssue(pause).severity == .ok ? 1 : 0, pause.since)
        }
        let pauses = try await self.intakeService.ports.store.endpoints.pauses().map { ($0.stage, $0) }
        return Dictionary(pauses) { rank($0) <= rank($1) ? $0 : $1 }
    }

    /// `GET /metrics`.
    func scrape() async throws -> Response {
        let counts = self.connections.counts
        self.metrics.set(.connections, to: Double(counts.open))
        self.metrics.set(.refusedConnections, to: Double(counts.refused))
        // Counting takes a bounded share of the time, however many cards there are.
        let storeCounts = try await self.cachedCounts.value(for: { $0 * Limits.countsCacheFactor }) {
            try await self.intakeService.ports.store.listings.metrics(now: self.intakeService.ports.now())
        }
        self.metrics.set(storeCounts, now: self.intakeService.ports.now())
        self.metrics.set(.freeBytes, to: Double(self.intakeService.ports.store.intake.freeBytes))
        let pauses = try await self.pauses()
        for stage in Stage.allCases {
            let isPaused = pauses[stage].map { HealthIssue($0).severity == .critical } ?? false
            self.metrics.set(.stagePaused, [stage.rawValue], to: isPaused ? 1 : 0)
        }
        return Response(ByteBuffer(string: self.metrics.text), "text/plain; version=0.0.4; charset=utf-8")
    }
}

extension EndpointState {
    /// The text about an endpoint for unauthenticated clients.
    fileprivate var message: Message {
        switch self {
        case .works: .endpointWorks
        case .waits: .endpointWaits
        case .pauses: .endpointPauses
        case .stopped: .endpointStopped
        }
    }
}

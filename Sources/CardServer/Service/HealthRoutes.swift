import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers whether the process lives and whether it can work, and serves its metrics.
struct HealthRoutes: Sendable {
    private struct Readiness: Encodable, Sendable {
        struct Reason: Encodable, Sendable {
            let code: String
            @InWords var message: Message
        }

        let status: String
        let reasons: [Reason]
        let stages: [String: StageStatus]
    }

    /// The status of a stage's endpoint; unauthenticated clients read it, so it names no host.
    private struct StageStatus: Encodable, Sendable {
        let status: EndpointState
        @Nullable var code: String?
        @InWords var message: Message?
        @Nullable var since: String?

        init(_ pause: EndpointPause?) {
            self.status = pause?.state ?? .works
            self.code = pause?.code
            self.message = pause?.state.message
            self.since = pause?.since.description
        }
    }

    let intakeService: IntakeService
    let metrics: ServerMetrics
    let connections: ConnectionRegister
    /// The last answer, cached: any client may ask for it, without a token and without a rate limit.
    private let cachedReadiness = CachedValue<Readiness>()
    private let cachedCounts = CachedValue<StoreCounts>()

    /// `GET /healthz`.
    func live() -> Response { Response(json: ["status": "alive"]) }

    /// `GET /readyz`: 503 with the reasons if no card can be admitted or no client can send one. Endpoints are shown only.
    func ready() async throws -> Response {
        let readiness = try await self.cachedReadiness.value(for: { _ in Limits.readinessTime }) {
            await self.readiness()
        }
        guard !readiness.reasons.isEmpty else { return Response(json: readiness) }
        return Response(json: readiness, status: .serviceUnavailable, headers: [.retryAfter: "10"])
    }

    private func readiness() async -> Readiness {
        var closed: ProblemCode?
        var pauses: [Stage: EndpointPause] = [:]
        do {
            pauses = try await self.pauses()
            closed = try await self.intakeService.refusal()?.code
            // Without webhook secrets either, no client can send a card.
            let configuration = self.intakeService.configuration
            if closed == nil, configuration.webhookSecrets.isEmpty, (try? configuration.tokens()) == nil {
                closed = .tokensUnavailable
            }
        } catch {
            closed = .storeUnavailable
        }
        let room = self.intakeService.ports.store.room(
            intakeFreeSpace: self.intakeService.configuration.intakeFreeSpace
        )
        let disk = HealthIssue(room).map { Readiness.Reason(code: $0.code, message: $0.message) }
        let reasons = [disk ?? closed.map { .init(code: $0.name, message: $0.title) }].compactMap(\.self)
        return Readiness(
            status: reasons.isEmpty ? "ready" : "not_ready",
            reasons: reasons,
            stages: Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0.rawValue, StageStatus(pauses[$0])) })
        )
    }

    /// The pause of each stage whose endpoint does not work; with several hosts, the worst one, then the oldest.
    private func pauses() async throws -> [Stage: EndpointPause] {
        func rank(_ pause: EndpointPause) -> (Int, Timestamp) {
            (HealthIssue(pause).severity == .ok ? 1 : 0, pause.since)
        }
        let pauses = try await self.intakeService.ports.store.pauses().map { ($0.stage, $0) }
        return Dictionary(pauses) { rank($0) <= rank($1) ? $0 : $1 }
    }

    /// `GET /metrics`.
    func figures() async throws -> Response {
        let counts = self.connections.counts
        self.metrics.set(.connections, to: Double(counts.open))
        self.metrics.set(.refusedConnections, to: Double(counts.refused))
        // Counting takes a bounded share of the time, however many cards there are.
        let figures = try await self.cachedCounts.value(for: { $0 * Limits.countsCacheFactor }) {
            try await self.intakeService.ports.store.figures(now: self.intakeService.ports.now())
        }
        self.metrics.set(figures, now: self.intakeService.ports.now())
        self.metrics.set(.freeBytes, to: Double(self.intakeService.ports.store.freeBytes))
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

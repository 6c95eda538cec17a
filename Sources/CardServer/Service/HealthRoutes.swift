import CardEngine
import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Tells whether the process lives, whether it can work, and its figures.
final class HealthRoutes: Sendable {
    private struct Readiness: Encodable, Sendable {
        let status: String
        let reasons: [Reason]
        let stages: [String: Standing]
    }

    private struct Reason: Encodable, Sendable {
        let code: String
        let message: String
    }

    /// How a stage stands; strangers read it, so it names no host.
    private struct Standing: Encodable, Sendable {
        let status: String
        @Nullable var code: String?
        @Nullable var message: String?
        @Nullable var since: String?

        init(_ rest: EndpointRest?) {
            self.status = rest == nil ? "working" : "paused"
            self.code = rest?.code
            self.message = rest.map { _ in HealthRoutes.stopped }
            self.since = rest?.setAt.description
        }
    }

    private static let stopped = "the remote side refuses this service; see: idcard-pipeline status"
    private static let stages = StageName.allCases.map(\.rawValue)

    private let reception: Reception
    private let metrics: ServerMetrics
    private let connections: ConnectionRegister
    /// The last answer: everybody may ask, without a token and as often as they like.
    private let last = Mutex<(at: Duration, readiness: Readiness)?>(nil)

    init(_ reception: Reception, metrics: ServerMetrics, connections: ConnectionRegister) {
        self.reception = reception
        self.metrics = metrics
        self.connections = connections
    }

    /// `GET /healthz`.
    func live() -> Response { Response(json: ["status": "alive"]) }

    /// `GET /readyz`: 503 with the reasons if something has stopped or nothing more is taken in.
    func ready() async -> Response {
        let now = ConnectionGuard.now
        let last = self.last.withLock { $0 }
        let readiness: Readiness
        if let last, now - last.at < Limits.readinessTime {
            readiness = last.readiness
        } else {
            readiness = await self.readiness()
            self.last.withLock { $0 = (now, readiness) }
        }
        guard !readiness.reasons.isEmpty else { return Response(json: readiness) }
        return Response(json: readiness, status: .serviceUnavailable, headers: [.retryAfter: "10"])
    }

    private func readiness() async -> Readiness {
        var closed: ProblemCode?
        var rests: [String: EndpointRest] = [:]
        do {
            rests = try await self.stopped()
            closed = try await self.reception.refusal()?.code
        } catch {
            closed = .storeUnavailable
        }
        let paused = rests.sorted { $0.key < $1.key }.map { stage, rest in
            Reason(code: "\(stage)_paused", message: "\(Self.stopped) (\(rest.code))")
        }
        let reasons = paused + (closed.map { [Reason(code: $0.name, message: $0.title)] } ?? [])
        return Readiness(
            status: reasons.isEmpty ? "ready" : "not_ready",
            reasons: reasons,
            stages: Dictionary(uniqueKeysWithValues: Self.stages.map { ($0, Standing(rests[$0])) })
        )
    }

    /// The stages whose endpoint has stopped them.
    private func stopped() async throws -> [String: EndpointRest] {
        var stopped: [String: EndpointRest] = [:]
        for rest in try await self.reception.ports.store.rests() where rest.failureClass == .stop {
            // An endpoint is called "verify HOST" in the sandbox.
            if let stage = Self.stages.first(where: { rest.endpoint.hasPrefix($0 + " ") }) { stopped[stage] = rest }
        }
        return stopped
    }

    /// `GET /metrics`.
    func figures() async throws -> Response {
        let counts = self.connections.counts
        self.metrics.set(.connections, to: Double(counts.open))
        self.metrics.set(.refusedConnections, to: Double(counts.refused))
        let states = try await self.reception.ports.store.counts().states
        for state in CardState.allCases { self.metrics.set(.cards, [state.rawValue], to: Double(states[state] ?? 0)) }
        let stopped = try await self.stopped()
        for stage in Self.stages { self.metrics.set(.stagePaused, [stage], to: stopped[stage] == nil ? 0 : 1) }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: self.metrics.text))
        )
    }
}

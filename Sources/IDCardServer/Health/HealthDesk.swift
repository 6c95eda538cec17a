import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Tells whether the process lives, and whether it can work.
struct HealthDesk: Sendable {
    private struct Alive: Encodable {
        let status = "alive"
    }

    private struct Readiness: Encodable {
        let status: String
        let reasons: [Reason]
        let stages: [String: StageWord]
    }

    private struct Reason: Encodable {
        let code: String
        let message: String
    }

    private struct StageWord: Encodable {
        let status: String
        let code: String?
        let message: String?
        let since: String?
    }

    /// The code of what the store finds wrong with itself.
    static let findingCode = "store_unsound"

    let ports: CardServer.Ports

    /// `GET /healthz`.
    func live() -> Response { JSONAnswer.response(Alive()) }

    /// `GET /readyz`: 503 with the reasons if something has stopped, an endpoint fails or nothing more is taken in.
    func ready() async throws -> Response {
        let readiness = await self.readiness()
        var headers = HTTPFields()
        if !readiness.reasons.isEmpty { headers[.retryAfter] = "10" }
        return JSONAnswer.response(
            readiness,
            status: readiness.reasons.isEmpty ? .ok : .serviceUnavailable,
            headers: headers
        )
    }

    private func readiness() async -> Readiness {
        var reasons: [Reason] = []
        var pauses: [Stage: StagePause] = [:]
        var failures: [Stage: EndpointFailure] = [:]
        do {
            pauses = try await self.ports.cards.pauses()
            failures = try await self.ports.cards.standings().compactMapValues(\.failure)
            let findings = try await self.ports.findings()
            reasons += findings.map { Reason(code: Self.findingCode, message: $0) }
        } catch {
            reasons.append(Reason(code: ProblemCode.storeUnavailable.rawValue, message: "the store does not answer"))
        }
        for (stage, pause) in pauses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            reasons.append(Reason(code: "\(stage.rawValue)_paused", message: "\(pause.message) (\(pause.code))"))
        }
        for (stage, failure) in failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where pauses[stage] == nil {
            reasons.append(Reason(code: "\(stage.rawValue)_failing", message: failure.advice(at: stage)))
        }
        if case .closed(let reason, let message, _) = await self.ports.intake.pressure() {
            reasons.append(Reason(code: reason.rawValue, message: message))
        } else if let message = await self.ports.cards.space().message {
            reasons.append(Reason(code: ReasonCode.diskSpaceLow.rawValue, message: message))
        }
        let words = Stage.allCases.map { ($0.rawValue, Self.word(pauses[$0], failures[$0])) }
        return Readiness(
            status: reasons.isEmpty ? "ready" : "not_ready",
            reasons: reasons,
            stages: Dictionary(uniqueKeysWithValues: words)
        )
    }

    private static func word(_ pause: StagePause?, _ failure: EndpointFailure?) -> StageWord {
        StageWord(
            status: pause != nil ? "paused" : failure != nil ? "failing" : "working",
            code: pause?.code ?? failure?.code,
            message: pause?.message,
            since: (pause?.since ?? failure?.since)?.description
        )
    }
}

package import CardModel
import Foundation

/// A stored pause of an endpoint: every process that calls the endpoint obeys the pause, and people see it.
package struct EndpointPause: Hashable, Sendable {
    package var stage: Stage
    /// The endpoint: a host with its port.
    package var host: String
    /// Why nothing is sent. `throttled`: the endpoint asked for a slower pace. `stop`: every card would fail, because of wrong
    /// credentials, a used-up quota or a wrong URL. Any other class: several calls in a row failed.
    package var failureClass: FailureClass
    package var code: String
    /// What happened and what helps, without personal values.
    package var message: Message
    /// Since when the endpoint has accepted no call.
    package var since: Timestamp
    /// The time in which nothing is sent.
    package var wait: Wait
    /// If answers could not be understood: the fingerprint of the settings for reading them, since other settings may help.
    package var terms: String?

    package init(
        stage: Stage,
        host: String,
        after failure: RemoteFailure,
        since: Timestamp,
        wait: Wait,
        terms: String? = nil
    ) {
        (self.stage, self.host, self.failureClass, self.code) = (stage, host, failure.failureClass, failure.code)
        (self.message, self.since, self.wait, self.terms) = (failure.message.withoutPersonalValues, since, wait, terms)
    }
}

/// The status of an endpoint, the same in `status`, `/readyz`, metrics and the log.
package enum EndpointState: String, CaseIterable, Sendable, Encodable {
    /// The endpoint accepts calls.
    case works = "works"
    /// It asked for a slower pace.
    case waits = "waits"
    /// Its calls fail; one call at a time checks whether it works again.
    case pauses = "pauses"
    /// It refuses every call until a person acts.
    case stopped = "stopped"
}

extension EndpointPause: Encodable {
    package func encode(to encoder: any Encoder) throws {
        let fields = [
            "stage": self.stage.rawValue, "host": self.host, "state": self.state.rawValue, "code": self.code,
            "message": self.message.text(), "since": self.since.description, "until": self.wait.until.description,
        ]
        try fields.encode(to: encoder)
    }

    package var state: EndpointState {
        switch self.failureClass {
        case .throttled: .waits
        case .stop: .stopped
        default: .pauses
        }
    }

    /// Describes a stalled stage of a process in the form of a failing endpoint; `nil` if no stage is stalled.
    init?(standstillOf worker: WorkerStatus) {
        guard let standstill = worker.standstill else { return nil }
        self.init(
            stage: standstill.stage,
            host: "\(worker.command)[\(worker.process)]",
            after: RemoteFailure(.transient, code: Self.standstill, message: .pauseStandstill),
            since: standstill.since,
            wait: Wait(from: standstill.since, until: standstill.since)
        )
    }

    private static let standstill = "standstill"

    /// Whether the cause is a stalled stage, not an endpoint.
    package var isStandstill: Bool { self.code == Self.standstill }

    /// The name of the endpoint for the command `resume`.
    var resumeName: String {
        switch self.stage {
        case .verify: "verifier"
        case .deliver: "backend"
        case .fetch, .prepare: self.host
        }
    }

    /// The text for people: `deliver backend:443 stopped since … (100001): the backend refused the TOKEN …`.
    package var text: Message {
        if self.failureClass == .throttled { return .pauseUntil(.pauseEndpoint(self), self) }
        return self.terms == nil ? .pauseEndpoint(self) : .pauseResume(.pauseEndpoint(self), self.stage)
    }
}

extension EndpointPause: Record {
    static let columns: SQL = "stage, host, class, code, message, since, set_at, until, terms"
    static let tables: SQL = "pause"
    /// Selects the pauses of endpoints that are still called: a host of photos only while it has cards to fetch.
    static let isCalled: SQL =
        "(stage <> \(literal: .fetch) OR EXISTS (SELECT 1 FROM card WHERE card.state = \(literal: .fetching) AND card.host = pause.host))"

    init(_ row: inout Row) throws {
        (self.stage, self.host) = (try row.next(), try row.next())
        (self.failureClass, self.code) = (try row.next(), try row.next())
        let text = try row.next(String.self)
        self.message = (try? JSONDecoder().decode(Message.self, from: Data(text.utf8))) ?? .pauseUnreadable(self.code)
        self.since = try row.next()
        self.wait = Wait(from: try row.next(), until: try row.next())
        self.terms = try row.next()
    }
}

extension SandboxEndpoints {
    /// Stores a pause. If the endpoint asked two processes for different waits, the longer one stays, unless a fast clock set it.
    package func pause(_ pause: EndpointPause) async throws {
        let message = String(decoding: try JSONEncoder().encode(pause.message), as: UTF8.self)
        try await self.write { tx in
            try tx.run(
                """
                INSERT INTO pause (stage, host, class, code, message, since, set_at, until, terms)
                VALUES (\(pause.stage), \(pause.host), \(pause.failureClass), \(pause.code), \(message), \(pause.since),
                \(pause.wait.from), \(pause.wait.until), \(pause.terms))
                ON CONFLICT (stage, host) DO UPDATE SET class = excluded.class, code = excluded.code,
                message = excluded.message, since = CASE WHEN pause.since < excluded.since THEN pause.since ELSE excluded.since END,
                set_at = excluded.set_at, until = excluded.until, terms = excluded.terms
                WHERE pause.class <> 'throttled' OR excluded.class <> 'throttled'
                OR pause.until <= excluded.until OR pause.set_at > \(pause.wait.from.advanced(by: Limits.smallStep))
                """
            )
        }
    }

    /// Returns a value that changes with the settings for reading answers, and reveals nothing of them.
    package func fingerprint(_ terms: Redacted<String>) -> String {
        self.vault.fingerprint(Data(terms.reveal().utf8), .terms).prefix(12).base64EncodedString()
    }

    /// Ends the pause of an endpoint that accepted a call: the pause `known` or an older one, but not one set later.
    package func resume(_ known: EndpointPause) async throws {
        let ended: SQL = "stage = \(known.stage) AND host = \(known.host) AND set_at <= \(known.wait.from)"
        try await self.write { tx in try tx.run("DELETE FROM pause WHERE \(ended)") }
    }

    /// Ends the pauses of an endpoint because a person wants it called now. A running process calls it at the next heartbeat.
    ///
    /// - Returns: the pauses that were ended.
    package func resume(_ host: String?, stage: Stage, by origin: AccessOrigin, now: Timestamp) async throws
        -> [EndpointPause]
    {
        let ofHost: SQL = host.map { "AND host = \($0)" } ?? ""
        let named: SQL = "stage = \(stage) \(ofHost)"
        return try await self.write(at: now) { tx in
            let ended = try EndpointPause.all("WHERE \(named)", in: tx)
            guard !ended.isEmpty else { return [] }
            try AccessLog.append(.resume, of: [nil], by: origin, vault: self.vault, in: tx)
            try tx.run("DELETE FROM pause WHERE \(named)")
            return ended
        }
    }

    /// Ends the pauses of endpoints that are no longer called, since the configuration names others, or no image is left to fetch.
    package func endPauses(exceptOfVerifier verifier: String, backend: String) async throws {
        try await self.write { tx in
            try tx.run(
                """
                DELETE FROM pause WHERE (stage = \(Stage.verify) AND host <> \(verifier))
                OR (stage = \(Stage.deliver) AND host <> \(backend))
                OR NOT \(EndpointPause.isCalled)
                """
            )
        }
    }

    /// Returns every pause, and each stalled stage of a running process.
    package func pauses() async throws -> [EndpointPause] {
        let stored = try await self.read { tx in
            try EndpointPause.all("WHERE \(EndpointPause.isCalled) ORDER BY stage, host", in: tx)
        }
        return try await stored + self.sandbox.upkeep.workers().compactMap(EndpointPause.init(standstillOf:))
    }

    /// Returns when each endpoint last accepted a call.
    package func lastSuccess(now: Timestamp) async throws -> [Stage: Timestamp] {
        try await self.read { tx in try SandboxListings.successes(now: now, in: tx) }
    }
}

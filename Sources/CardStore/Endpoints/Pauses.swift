package import CardModel
import Foundation

/// A pause of an endpoint that outlives its process: every process that calls the endpoint obeys it, and people see it.
package struct EndpointPause: Hashable, Sendable {
    package var stage: Stage
    /// The endpoint: a host with its port.
    package var host: String
    /// Why nothing is sent: `throttled` means that the endpoint asked for a slower pace; `stop`, that every card would fail
    /// (wrong credentials, a used-up quota, a wrong URL); any other class, that calls fail.
    package var failureClass: FailureClass
    /// The remote's code.
    package var code: String
    /// What happened and what helps, without personal values.
    package var message: Message
    /// Since when the endpoint has accepted nothing.
    package var since: Timestamp
    /// How long nothing is sent.
    package var wait: Wait
    /// The fingerprint of the terms for reading answers, if it is a stop because of unreadable ones: other terms may read them.
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
    /// It accepts calls.
    case works = "works"
    /// It asked for a slower pace.
    case waits = "waits"
    /// It fails; one call at a time finds out when it works again.
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

    /// The status of the endpoint.
    package var state: EndpointState {
        switch self.failureClass {
        case .throttled: .waits
        case .stop: .stopped
        default: .pauses
        }
    }

    /// Describes a stalled stage of a process like an endpoint that fails; `nil` if none is stalled.
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

    /// Its name in `resume`.
    var resumeName: String { self.stage == .verify ? "verifier" : self.stage == .deliver ? "backend" : self.host }

    /// For people: `deliver backend:443 stopped since … (100001): the backend refused the TOKEN …`.
    package var text: Message {
        if self.failureClass == .throttled { return .pauseUntil(.pauseEndpoint(self), self) }
        return self.terms == nil ? .pauseEndpoint(self) : .pauseResume(.pauseEndpoint(self), self.stage)
    }
}

extension EndpointPause: Record {
    static let columns: SQL = "stage, host, class, code, message, since, set_at, until, terms"
    static let tables: SQL = "pause"
    /// Selects the pauses of endpoints that are still called: hosts of photos come and go with the cards.
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
    /// Stores a pause. If the endpoint asked two processes for different waits, the longer one stays, unless it was set by a
    /// fast clock.
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

    /// A value that changes with the terms for reading answers, and reveals nothing of them.
    package func fingerprint(_ terms: Redacted<String>) -> String {
        self.vault.fingerprint(Data(terms.reveal().utf8), .terms).prefix(12).base64EncodedString()
    }

    /// Ends the pause of an endpoint that accepted a call: the pause that its process knew or an older one. A newer one stays.
    package func resume(_ known: EndpointPause) async throws {
        let own: SQL = "stage = \(known.stage) AND host = \(known.host) AND set_at <= \(known.wait.from)"
        try await self.write { tx in try tx.run("DELETE FROM pause WHERE \(own)") }
    }

    /// Ends the pauses of an endpoint because a person wants it called now; a process at work calls it at its next heartbeat.
    ///
    /// - Returns: the pauses that were ended.
    package func resume(_ host: String?, stage: Stage, by origin: AccessOrigin, now: Timestamp) async throws
        -> [EndpointPause]
    {
        let ofHost: SQL = host.map { "AND host = \($0)" } ?? ""
        let own: SQL = "stage = \(stage) \(ofHost)"
        return try await self.write(at: now) { tx in
            let ended = try EndpointPause.all("WHERE \(own)", in: tx)
            guard !ended.isEmpty else { return [] }
            try AccessLog.append(.resume, of: [nil], by: origin, vault: self.vault, in: tx)
            try tx.run("DELETE FROM pause WHERE \(own)")
            return ended
        }
    }

    /// Ends the pauses of endpoints that are no longer called: the configuration names others, or no image is left to fetch.
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

    /// Returns every pause, and each stalled stage of a process at work.
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

package import CardModel
import Foundation

/// A rest of an endpoint that outlives its process: what the endpoint asks for holds for every process that calls it.
package struct EndpointRest: Hashable, Sendable {
    /// The endpoint: a host with its port.
    package var endpoint: String
    /// Until when nothing is sent.
    package var until: Timestamp
    /// Why: `throttled`, or `stop` for credentials, quota and addresses.
    package var failureClass: FailureClass
    /// The remote's code.
    package var code: String
    /// When it was set.
    package var setAt: Timestamp

    /// Describes a rest.
    package init(endpoint: String, until: Timestamp, failureClass: FailureClass, code: String, setAt: Timestamp) {
        self.endpoint = endpoint
        self.until = until
        self.failureClass = failureClass
        self.code = code
        self.setAt = setAt
    }
}

extension CardStore {
    /// Writes a rest down; `nil` ends the one there is. Of two waits that the endpoint asked different processes for the longer
    /// one stays, unless a clock was ahead when it was set.
    package func set(_ rest: EndpointRest?, of endpoint: String) async throws {
        try await self.write { tx in
            guard let rest else {
                try tx.run("DELETE FROM rest WHERE endpoint = \(endpoint)")
                return
            }
            try tx.run(
                """
                INSERT INTO rest (endpoint, until, class, code, set_at)
                VALUES (\(endpoint), \(rest.until), \(rest.failureClass), \(rest.code), \(rest.setAt))
                ON CONFLICT (endpoint) DO UPDATE
                SET until = excluded.until, class = excluded.class, code = excluded.code, set_at = excluded.set_at
                WHERE rest.class <> 'throttled' OR excluded.class <> 'throttled'
                OR rest.until <= excluded.until OR rest.set_at > excluded.set_at
                """
            )
        }
    }

    /// Returns every rest.
    package func rests() async throws -> [EndpointRest] {
        try await self.read { tx in
            try tx.rows("SELECT endpoint, until, class, code, set_at FROM rest ORDER BY endpoint") { row in
                EndpointRest(
                    endpoint: try row.next(),
                    until: try row.next(),
                    failureClass: try row.next(),
                    code: try row.next(),
                    setAt: try row.next()
                )
            }
        }
    }
}

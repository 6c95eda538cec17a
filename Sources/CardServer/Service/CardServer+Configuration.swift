package import CardEngine
package import CardModel
package import CardStore
import Foundation
import NIOCore

extension CardServer {
    /// How a server listens, and its limits.
    package struct Configuration: Sendable {
        /// The address to listen on (`server.listen`).
        package var host = "127.0.0.1"
        /// The port to listen on; 0 chooses a free one.
        package var port = 8080
        /// The certificate; `nil` for none, which is safe only on loopback (`server.tls`).
        package var tls: TLSFiles?
        /// The valid tokens (`server.tokens_file`).
        package var tokens: TokenSource = { () throws(CodedError) in [] }
        /// Secrets of webhook senders (`webhooks.secrets`).
        package var webhookSecrets: [WebhookSecret] = []
        /// How many requests one token may make (`server.rate_limit`).
        package var callerRate = RatePolicy(quota: 600, window: .seconds(60))
        /// How many requests without a valid token one address may make.
        package var failureRate = RatePolicy(quota: 20, window: .seconds(60))
        /// The origins whose pages may use the server from a browser (`server.cors_origins`).
        package var origins: Set<String> = []
        /// The most bytes of an image (`imaging.max_source_bytes`).
        package var imageBytes = 32 << 20
        /// Whether each card needs its own user account, because `delivery.user_no` sets none for all.
        package var requiresUserNumber = false
        /// While fewer bytes are free on the disk of the sandbox, nothing is admitted (`sandbox.intake_free_space`).
        package var intakeFreeSpace: Int64 = 256 << 20
        /// How long requests may continue after a shutdown was asked for (`run.shutdown_timeout`).
        package var shutdownTimeout = Duration.seconds(20)
        package var tokenCommand = "idcard-pipeline tokens add NAME --scope submit"
        var connections = ConnectionLimits()
        var bodyMemory = Limits.bodyMemory
        /// How long a body waits until there is memory for its bytes.
        var roomWait = Limits.roomWait

        package init() {}

        /// Checks the address: beyond this machine, a server needs a certificate, and tokens or webhook secrets.
        ///
        /// - Throws: `listening_refused`; the error of reading the tokens.
        package func checkListening() throws(CodedError) {
            guard !Self.isLoopback(self.host) else { return }
            guard self.tls != nil else { throw Self.refused(.listenUnencrypted) }
            guard try !self.tokens().isEmpty || !self.webhookSecrets.isEmpty else {
                throw Self.refused(.listenNoToken(self.tokenCommand))
            }
        }

        private static func refused(_ message: Message) -> CodedError {
            CodedError(ReasonCode(rawValue: "listening_refused"), .configuration, message)
        }

        /// Whether an address is reachable from this machine only; of names, only `localhost` counts.
        package static func isLoopback(_ host: String) -> Bool {
            if host.lowercased() == "localhost" { return true }
            guard let bytes = try? SocketAddress(ipAddress: host, port: 0).ipBytes else { return false }
            return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// The dependencies of a server.
    package struct Ports: Sendable {
        /// Admits photos; runs beside the server.
        package var engine: Engine
        package var store: Sandbox
        /// Why images are not fetched from an address; `nil` if they are.
        package var addressRefusal: @Sendable (_ address: Redacted<String>) -> CodedError?
        /// Starts a run over a source of the configuration, or returns the one in progress; `nil` if no source has the name.
        package var startRun: @Sendable (_ source: String, AccessOrigin) async throws -> RunStatus? = { _, _ in nil }
        package var run: @Sendable (_ id: String) async throws -> RunStatus? = { _ in nil }
        /// Returns the known runs, the newest first.
        package var runs: @Sendable () async throws -> [RunStatus] = { [] }
        /// Whether the limit of unfinished cards is reached; the engine uses the same limit.
        package var isFull: @Sendable () async throws -> Bool
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// Joins the dependencies; those for runs on demand are set afterwards.
        package init(
            engine: Engine,
            store: Sandbox,
            addressRefusal: @escaping @Sendable (_ address: Redacted<String>) -> CodedError?
        ) {
            (self.engine, self.store, self.addressRefusal) = (engine, store, addressRefusal)
            self.isFull = { try await store.intake.isFull() }
        }
    }
}

/// A run on demand, as clients see it.
package struct RunStatus: Sendable, Encodable {
    package enum State: String, CaseIterable, Sendable, Encodable {
        /// Its inputs are being admitted, or it waits for an earlier run of its source.
        case running
        /// All its inputs are processed; the cards continue.
        case complete
        /// The source, or its manifest, cannot be read.
        case failed
    }

    package let runID: String
    package let source: String
    /// The name of the token that asked for it, or `local`.
    package let submitter: String
    package let state: State
    @Nullable package var reason: ReasonCode? = nil
    /// Inputs by result: `admitted`, `duplicate`, `refused`, `ignored`.
    package var counts: [String: Int] = [:]
    /// Refused inputs by code.
    package var refusals: [String: Int] = [:]
    /// When it was asked for.
    package let startedAt: String
    /// When all its inputs were processed, or it failed.
    @Nullable package var endedAt: String? = nil

    package init(id: String, source: String, submitter: String, state: State, startedAt: Timestamp) {
        (self.runID, self.source, self.submitter, self.state) = (id, source, submitter, state)
        self.startedAt = startedAt.description
    }
}

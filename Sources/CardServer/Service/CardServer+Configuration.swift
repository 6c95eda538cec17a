package import CardEngine
package import CardModel
package import CardStore
import Foundation
import NIOCore

extension CardServer {
    /// How a server listens, and what it takes.
    package struct Configuration: Sendable {
        /// The address to listen on (`server.listen`).
        package var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        package var port = 8080
        /// The certificate; `nil` for none, which is right on loopback alone (`server.tls`).
        package var tls: TLSFiles?
        /// Who may ask (`server.tokens_file`).
        package var tokens: TokenSource = { () throws(CodedError) in [] }
        /// Secrets of webhook senders (`webhooks.secrets`).
        package var webhookSecrets: [WebhookSecret] = []
        /// How often one token may ask (`server.rate_limit`).
        package var callerRate = RatePolicy(quota: 600, window: .seconds(60))
        /// How often one address may come without a valid token.
        package var failureRate = RatePolicy(quota: 20, window: .seconds(60))
        /// The origins whose pages may talk to the server in a browser (`server.cors_origins`).
        package var origins: Set<String> = []
        /// The most bytes of an image (`imaging.max_source_bytes`).
        package var imageBytes = 32 << 20
        /// Whether a card needs a user account of its own, as the configuration names none for all
        /// (`delivery.user_no`).
        package var requiresUserNumber = false
        /// Nothing is taken in while fewer bytes are free on the disk of the sandbox (`sandbox.intake_free_space`).
        package var intakeFreeSpace: Int64 = 256 << 20
        /// How long requests may go on after the end was asked for (`run.shutdown_timeout`).
        package var shutdownTimeout = Duration.seconds(20)
        package var tokenCommand = "idcard-pipeline tokens add NAME --scope submit"
        var connections = ConnectionLimits()
        var bodyMemory = Limits.bodyMemory
        /// How long a body waits for its share of that.
        var roomWait = Limits.roomWait

        package init() {}

        /// Whether it may listen there: beyond this machine only with a certificate, and with somebody who may ask.
        ///
        /// - Throws: `listening_refused`; why the tokens cannot be known.
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

        /// Whether an address is reached from this machine alone; by name only `localhost` is known to be.
        package static func isLoopback(_ host: String) -> Bool {
            if host.lowercased() == "localhost" { return true }
            guard let bytes = try? SocketAddress(ipAddress: host, port: 0).ipBytes else { return false }
            return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// What a server works with.
    package struct Ports: Sendable {
        /// Takes photos in; runs beside the server.
        package var engine: Engine
        package var store: CardStore
        /// Why an image is not fetched from an address; `nil` if it is.
        package var addressRefusal: @Sendable (_ address: Redacted<String>) -> CodedError?
        /// Starts a run over a source of the configuration, or names the one that goes on; `nil` if there is none of
        /// the name.
        package var startRun: @Sendable (_ source: String, AccessOrigin) async throws -> RunStatus? = { _, _ in nil }
        package var run: @Sendable (_ id: String) async throws -> RunStatus? = { _ in nil }
        /// Returns the runs that are known, the newest first.
        package var runs: @Sendable () async throws -> [RunStatus] = { [] }
        /// Whether as many cards are under way as may be at a time; the engine is told the same.
        package var isFull: @Sendable () async throws -> Bool
        package var now: @Sendable () -> Timestamp = { Timestamp(Date()) }

        /// Joins what a server works with; runs on demand are added after.
        package init(
            engine: Engine,
            store: CardStore,
            addressRefusal: @escaping @Sendable (_ address: Redacted<String>) -> CodedError?
        ) {
            (self.engine, self.store, self.addressRefusal) = (engine, store, addressRefusal)
            self.isFull = { try await store.isFull() }
        }
    }
}

/// A run on demand, as clients see it.
package struct RunStatus: Sendable, Encodable {
    package enum State: String, CaseIterable, Sendable, Encodable {
        /// Its inputs are being taken in, or it waits for the run of its source before it.
        case running
        /// All its inputs are taken in; the cards go their way.
        case complete
        /// The source, or its manifest, cannot be read.
        case failed
    }

    package let runID: String
    package let source: String
    /// Who asked for it: the name of a token, or `local`.
    package let submitter: String
    package let state: State
    @Nullable package var reason: ReasonCode? = nil
    /// Inputs by what became of them: `admitted`, `duplicate`, `refused`, `ignored`.
    package var counts: [String: Int] = [:]
    /// Refused inputs by code.
    package var refusals: [String: Int] = [:]
    /// When it was asked for.
    package let startedAt: String
    /// When all its inputs were taken in, or it failed.
    @Nullable package var endedAt: String? = nil

    package init(id: String, source: String, submitter: String, state: State, startedAt: Timestamp) {
        (self.runID, self.source, self.submitter, self.state) = (id, source, submitter, state)
        self.startedAt = startedAt.description
    }
}

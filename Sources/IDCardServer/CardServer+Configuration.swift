extension CardServer {
    /// How a server listens, and what it takes.
    package struct Configuration: Sendable {
        /// The address to listen on (`server.listen`).
        package var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        package var port = 8080
        /// The certificate; `nil` for none, which is right on loopback alone (`server.tls.certificate`,
        /// `server.tls.key`).
        package var tls: TLSFiles?
        /// What one connection may take (`server.…`).
        package var connections = ConnectionLimits()
        /// How large what is sent in may be.
        package var submission = SubmissionLimits()
        /// Whether a card needs a user account of its own, as the configuration names none for all (`delivery.user_no`).
        package var requiresUserNumber = false
        /// How often one token may ask (`server.rate_limit`, `server.rate_window`).
        package var callerRate = RatePolicy(quota: 600, window: .seconds(60))
        /// How often one address may come without a valid token, and how often with a webhook that is not believed before
        /// its large ones are read one at a time (`server.failed_rate_limit`).
        package var failureRate = RatePolicy(quota: 20, window: .seconds(60))
        /// Secrets of webhook senders; several, so that one can take another's place without a gap (`webhooks.secrets`).
        package var webhookSecrets: [WebhookSecret] = []
        /// How far the time of a webhook may be off (`webhooks.tolerance_past`, `webhooks.tolerance_future`).
        package var webhookTolerance = WebhookTolerance()
        /// The origins whose pages may talk to the server in a browser (`server.cors_origins`).
        package var origins: Set<String> = []
        /// How long requests may go on after the end was asked for (`server.shutdown_grace`).
        package var shutdownGrace: Duration = .seconds(20)

        /// Sets the defaults.
        package init() {}
    }
}

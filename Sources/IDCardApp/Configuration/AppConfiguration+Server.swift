package import IDCardCore

extension AppConfiguration {
    /// Keys under `server`.
    package struct Server: Hashable, Sendable {
        /// Where to listen, `HOST:PORT` (`server.listen`).
        package let listen: String
        /// PEM file with the certificate and its chain (`server.tls.certificate`).
        package let certificatePath: String?
        /// PEM file with its private key (`server.tls.key`).
        package let keyPath: String?
        /// File of who may ask (`server.tokens_file`); `nil` if nobody names one and there is no home.
        package let tokensFile: String?
        /// Requests of one token, and of one address without a valid one, in the window (`server.rate_limit`,
        /// `server.failed_rate_limit`).
        package let rateLimit: Int, failedRateLimit: Int
        /// The window of both (`server.rate_window`).
        package let rateWindow: Duration
        /// Origins of browser pages (`server.cors_origins`).
        package let origins: [String]
        /// Most connections, in all and from one address; 0 for no limit of the latter (`server.max_connections`,
        /// `server.max_connections_per_address`).
        package let maximumConnections: Int, maximumConnectionsPerAddress: Int
        /// Most bytes and fields of a head (`server.header_bytes`, `server.header_count`).
        package let headerBytes: Int, headerCount: Int
        /// Longest time of a head (`server.header_timeout`), of waiting for a request (`server.idle_timeout`).
        package let headerTimeout: Duration, idleTimeout: Duration
        /// Longest standstill of a body (`server.body_timeout`), time before its pace counts (`server.body_grace`).
        package let bodyTimeout: Duration, bodyGrace: Duration
        /// Least bytes per second of a body; 0 for any (`server.body_rate`).
        package let bodyRate: Int
        /// Longest time that a client may take to read an answer (`server.write_timeout`).
        package let writeTimeout: Duration
        /// Most parts of a form (`server.form_parts`).
        package let formParts: Int
        /// Most bytes of a form beside its image (`server.form_overhead_bytes`).
        package let formOverheadBytes: Int
        /// Most bytes of images that lie in spools at once (`server.max_spooled_bytes`).
        package let maximumSpooledBytes: Int

        init(_ values: ResolvedConfiguration) {
            self.listen = values.require("server.listen", \.text)
            self.certificatePath = values.find("server.tls.certificate", \.text)
            self.keyPath = values.find("server.tls.key", \.text)
            self.tokensFile = values.find("server.tokens_file", \.text)
            self.rateLimit = values.require("server.rate_limit", \.integer)
            self.failedRateLimit = values.require("server.failed_rate_limit", \.integer)
            self.rateWindow = values.require("server.rate_window", \.duration)
            self.origins = values.require("server.cors_origins", \.list)
            self.maximumConnections = values.require("server.max_connections", \.integer)
            self.maximumConnectionsPerAddress = values.require("server.max_connections_per_address", \.integer)
            self.headerBytes = values.require("server.header_bytes", \.integer)
            self.headerCount = values.require("server.header_count", \.integer)
            self.headerTimeout = values.require("server.header_timeout", \.duration)
            self.idleTimeout = values.require("server.idle_timeout", \.duration)
            self.bodyTimeout = values.require("server.body_timeout", \.duration)
            self.bodyGrace = values.require("server.body_grace", \.duration)
            self.bodyRate = values.require("server.body_rate", \.integer)
            self.writeTimeout = values.require("server.write_timeout", \.duration)
            self.formParts = values.require("server.form_parts", \.integer)
            self.formOverheadBytes = values.require("server.form_overhead_bytes", \.integer)
            self.maximumSpooledBytes = values.require("server.max_spooled_bytes", \.integer)
        }
    }

    /// Keys under `webhooks`.
    package struct Webhooks: Hashable, Sendable {
        /// Secrets of senders, with commas between (`webhooks.secrets`).
        package let secrets: Redacted<String>?
        /// File with these secrets, one a line (`webhooks.secrets_file`).
        package let secretsFile: String?
        /// How old a timestamp may be, and how far ahead (`webhooks.tolerance_past`, `webhooks.tolerance_future`).
        package let tolerancePast: Duration, toleranceFuture: Duration
        /// Most bytes of one webhook, and of all in memory at once (`webhooks.body_bytes`, `webhooks.memory_bytes`).
        package let bodyBytes: Int, memoryBytes: Int

        init(_ values: ResolvedConfiguration) {
            self.secrets = values.find("webhooks.secrets", \.secret)
            self.secretsFile = values.find("webhooks.secrets_file", \.text)
            self.tolerancePast = values.require("webhooks.tolerance_past", \.duration)
            self.toleranceFuture = values.require("webhooks.tolerance_future", \.duration)
            self.bodyBytes = values.require("webhooks.body_bytes", \.integer)
            self.memoryBytes = values.require("webhooks.memory_bytes", \.integer)
        }
    }
}

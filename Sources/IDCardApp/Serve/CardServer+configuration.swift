import Foundation
import IDCardCore
import IDCardServer

extension CardServer.Configuration {
    /// Takes the keys under `server` and `webhooks`.
    ///
    /// - Throws: `ConfigurationError` if the address or a secret cannot be used.
    init(_ configuration: AppConfiguration) throws {
        self.init()
        let server = configuration.server
        let webhooks = configuration.webhooks
        (self.host, self.port) = try Self.address(server.listen)
        self.tls = try Self.files(server)
        self.connections.connections = server.maximumConnections
        self.connections.connectionsPerAddress = server.maximumConnectionsPerAddress
        self.connections.headBytes = server.headerBytes
        self.connections.headerCount = server.headerCount
        self.connections.headTime = server.headerTimeout
        self.connections.idleTime = server.idleTimeout
        self.connections.bodyStandstill = server.bodyTimeout
        self.connections.bodyGrace = server.bodyGrace
        self.connections.bodyBytesPerSecond = server.bodyRate
        self.connections.writeTime = server.writeTimeout
        self.submission.imageBytes = configuration.imaging.maximumSourceBytes
        self.submission.spooledBytes = server.maximumSpooledBytes
        self.submission.formOverheadBytes = server.formOverheadBytes
        self.submission.formParts = server.formParts
        self.submission.webhookBytes = webhooks.bodyBytes
        self.submission.webhookMemoryBytes = webhooks.memoryBytes
        self.requiresUserNumber = configuration.requiresUserNumber
        self.callerRate = RatePolicy(quota: server.rateLimit, window: server.rateWindow)
        self.failureRate = RatePolicy(quota: server.failedRateLimit, window: server.rateWindow)
        self.origins = Set(server.origins)
        self.webhookSecrets = try Self.secrets(webhooks)
        self.webhookTolerance = WebhookTolerance(past: webhooks.tolerancePast, future: webhooks.toleranceFuture)
        self.shutdownGrace = configuration.shutdownTimeout
    }

    /// Reads `HOST:PORT`; an IPv6 address stands in brackets.
    private static func address(_ text: String) throws(ConfigurationError) -> (host: String, port: Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            0...65_535 ~= port, colon != text.startIndex
        else {
            throw ConfigurationError([
                .init(
                    .malformedValue,
                    key: "server.listen",
                    "server.listen: \(text) cannot be read; expected an address and a port, such as 127.0.0.1:8080 or [::1]:8080"
                )
            ])
        }
        let host = text[..<colon]
        return (host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host), port)
    }

    private static func files(_ server: AppConfiguration.Server) throws(ConfigurationError) -> TLSFiles? {
        switch (server.certificatePath, server.keyPath) {
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (nil, nil): return nil
        default:
            let key = server.certificatePath == nil ? "server.tls.certificate" : "server.tls.key"
            throw ConfigurationError([
                .init(.missing, key: key, "\(key) is not set; certificate and key go together")
            ])
        }
    }

    /// The secrets of webhook senders, from the configuration or their file.
    static func secrets(_ webhooks: AppConfiguration.Webhooks) throws -> [WebhookSecret] {
        if webhooks.secrets != nil, webhooks.secretsFile != nil {
            throw ConfigurationError([
                .init(
                    .conflict,
                    key: "webhooks.secrets_file",
                    "webhooks.secrets and webhooks.secrets_file are both set; keep one of them"
                )
            ])
        }
        let lines: [Substring]
        if let path = webhooks.secretsFile {
            let file = SecretFile(path: path, key: "webhooks.secrets_file")
            do throws(ConfigurationError.Problem) {
                lines = try file.readText(expected: "secrets, one a line").reveal().split(whereSeparator: \.isNewline)
            } catch {
                throw ConfigurationError([error])
            }
        } else {
            lines = webhooks.secrets?.reveal().split(separator: ",") ?? []
        }
        return try lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }.map(WebhookSecret.init)
    }
}

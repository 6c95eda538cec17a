import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import CardStore
import Foundation

extension Configuration.WebhookSettings {
    var key: String { self.secretsFile == nil ? "webhooks.secrets" : "webhooks.secrets_file" }

    /// The secrets as they stand in the configuration, or in their file now.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func text() throws(CodedError) -> Redacted<String> {
        guard let path = self.secretsFile else { return self.secrets ?? Redacted("") }
        return try SecretFile(path: path, key: self.key).readText(expected: .secretExpectsSecrets)
    }
}

extension Configuration {
    /// The secrets of webhook senders as they are now.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`, `webhook_secret_invalid`.
    func webhookSecrets() throws(CodedError) -> [WebhookSecret] {
        try WebhookSecret.secrets(in: try self.webhooks.text())
    }

    /// How `serve` listens and what it takes, with everything for which it would refuse to begin.
    func serving() async -> (server: CardServer.Configuration, mistakes: [ConfigurationError.Mistake]) {
        var server = CardServer.Configuration()
        var mistakes: [ConfigurationError.Mistake] = []
        // Loading has checked the form.
        (server.host, server.port) = LoadedConfiguration.listening(self.server.listen) ?? (server.host, server.port)
        if let certificate = self.server.certificate, let key = self.server.key {
            server.tls = TLSFiles(certificate: certificate, key: key)
        }
        server.callerRate = RatePolicy(quota: self.server.rateLimit, window: .seconds(60))
        server.origins = Set(self.server.corsOrigins.compactMap(LoadedConfiguration.origin))
        server.imageBytes = self.imaging.maxSourceBytes
        server.requiresUserNumber = !self.engine.hasDefaultUserNumber
        server.intakeFreeSpace = self.engine.intakeFreeSpace
        if let path = self.server.tokensFile {
            server.tokenCommand = TokensFile(path: path).command("add NAME --scope submit")
        }
        server.shutdownTimeout = self.engine.shutdownTimeout
        await mistakes.attempt("server.tls.certificate") { () throws(CodedError) in try server.tls?.check() }
        await mistakes.attempt(self.webhooks.key) { () throws(CodedError) in
            server.webhookSecrets = try self.webhookSecrets()
        }
        let senders = WebhookSecret.names(of: server.webhookSecrets)
        await mistakes.attempt("server.tokens_file") { () throws(CodedError) in
            guard let path = self.server.tokensFile else { return }
            let tokens = try TokensFile(path: path).read(apartFrom: senders)
            server.tokens = { () throws(CodedError) in tokens }
        }
        // Whoever cannot be read may be somebody.
        if mistakes.isEmpty {
            await mistakes.attempt("server.listen") { () throws(CodedError) in try server.checkListening() }
        }
        return (server, mistakes)
    }
}

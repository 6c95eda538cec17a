import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import CardStore

// Converts the configuration for the modules.

extension Configuration {
    // MARK: Inputs

    /// The options for all photos: fields from the command line, the rule for business numbers, the sandbox, and the check for
    /// photos that could never be delivered.
    func inputs(_ fields: SubmittedFields = SubmittedFields(), rule: BusinessNumberRule? = nil) throws(CodedError)
        -> BatchOptions
    {
        var options = BatchOptions()
        options.fields = fields
        options.businessNumberRule = if let rule { rule } else { try BusinessNumberRule(self.businessNumberFrom) }
        options.sandbox = self.sandboxPath
        let check = self.fetch.addressCheck()
        // Refused here, a forbidden address leaves no card behind.
        options.refusal = { photo in photo.address.flatMap(check) ?? self.requireAccount(photo) }
        return options
    }

    /// The folders to watch, and how; folders of the command line replace the configured ones.
    ///
    /// - Parameter waiting: whether to wait for a folder that cannot be opened.
    /// - Throws: `CodedError` for the first folder that cannot be watched.
    func watchOptions(
        folders: [String] = [],
        fields: SubmittedFields = SubmittedFields(),
        waiting: Bool = false
    ) throws(CodedError) -> WatchOptions {
        var options = self.watch
        if !folders.isEmpty { options.folders = folders }
        options.inputs = try self.inputs(fields)
        let problems = options.problems().filter { !waiting || $0.code != .watchFolderMissing }
        if let problem = problems.first { throw problem }
        return options
    }

    /// Refuses a photo without a user account if the backend needs one: it would be verified, paid for, and then wait
    /// permanently.
    func requireAccount(_ item: Photo) -> CodedError? {
        guard self.delivery != nil, !self.engine.hasDefaultUserNumber,
            item.metadata.userNumber?.reveal().isEmpty ?? true
        else { return nil }
        return CodedError(.userNumberMissing, .input, .runNoUser)
    }

    // MARK: The server

    /// Returns the present secrets of webhook senders.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`, `webhook_secret_invalid`.
    func webhookSecrets() throws(CodedError) -> [WebhookSecret] {
        try WebhookSecret.secrets(in: try self.webhooks.text())
    }

    /// The configuration of the server, with all mistakes for which `serve` would refuse to start.
    func serving() async -> (server: CardServer.Configuration, mistakes: [ConfigurationError.Mistake]) {
        var server = CardServer.Configuration()
        var mistakes: [ConfigurationError.Mistake] = []
        // Loading has refused an address of another form.
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
        await mistakes.attempt("server.tls.certificate") { try server.tls?.check() }
        await mistakes.attempt(self.webhooks.key) { server.webhookSecrets = try self.webhookSecrets() }
        let secrets = server.webhookSecrets
        await mistakes.attempt("server.tokens_file") {
            guard let path = self.server.tokensFile else { return }
            let tokens = try TokensFile(path: path).read().apart(from: secrets).usable
            server.tokens = { () throws(CodedError) in tokens }
        }
        // Only if tokens and secrets could be read: unreadable ones may be valid, and the check needs at least one.
        if mistakes.isEmpty { await mistakes.attempt("server.listen") { try server.checkListening() } }
        return (server, mistakes)
    }
}

extension Configuration.WebhookSettings {
    var key: String { self.secretsFile == nil ? "webhooks.secrets" : "webhooks.secrets_file" }

    /// The secrets in the configuration, or at present in their file.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func text() throws(CodedError) -> Redacted<String> {
        guard let path = self.secretsFile else { return self.secrets ?? Redacted("") }
        return try SecretFile(path: path, key: self.key).readText(expected: .secretExpectsSecrets)
    }
}

import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import CardStore

// What the modules take from the configuration.

extension Configuration {
    // MARK: Inputs

    /// What holds for all photos: what options say of each, where their numbers come from, what is never an input.
    func inputs(_ fields: SubmittedFields = SubmittedFields(), rule: BusinessNumberRule? = nil) throws(CodedError)
        -> BatchOptions
    {
        var options = BatchOptions()
        options.fields = fields
        options.businessNumberRule = if let rule { rule } else { try BusinessNumberRule(self.businessNumberFrom) }
        options.sandbox = self.sandboxPath
        return options
    }

    /// The folders to watch, and how; those of the command line take the place of the configured ones.
    ///
    /// - Parameter waiting: whether a folder that cannot be opened is waited for.
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

    /// Lists the inputs of a source, and refuses what could never go its way.
    func listing(of source: BatchSource) throws(CodedError) -> BatchListing {
        let check = self.fetch.addressCheck()
        return try source.listing().refusing { item in
            // Refused here, an address that is not allowed leaves nothing behind.
            if case .address(let address) = item.place, let error = check(address) { return error }
            return self.requireAccount(item)
        }
    }

    /// Refuses a photo without a user account where the backend needs one: it would be verified, paid for, and then wait for
    /// ever.
    func requireAccount(_ item: InputItem) -> CodedError? {
        guard self.delivery != nil, !self.engine.hasDefaultUserNumber,
            item.metadata.userNumber?.reveal().isEmpty ?? true
        else { return nil }
        return CodedError(.userNumberMissing, .input, .runNoUser)
    }

    // MARK: The server

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
        let secrets = server.webhookSecrets
        await mistakes.attempt("server.tokens_file") { () throws(CodedError) in
            guard let path = self.server.tokensFile else { return }
            let tokens = try TokensFile(path: path).read().apart(from: secrets).usable
            server.tokens = { () throws(CodedError) in tokens }
        }
        // Whoever cannot be read may be somebody.
        if mistakes.isEmpty {
            await mistakes.attempt("server.listen") { () throws(CodedError) in try server.checkListening() }
        }
        return (server, mistakes)
    }
}

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

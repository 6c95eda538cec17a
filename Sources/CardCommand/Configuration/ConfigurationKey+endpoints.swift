import CardEngine
import CardModel
import CardRemote

private let callTimes = Duration.milliseconds(100)...Duration.seconds(3600)
private let waits = Duration.zero...Duration.seconds(86_400)

// Each key stands on one line.
// swift-format-ignore
extension ConfigurationKey {
    static let verification: [ConfigurationKey] =
        [
            ConfigurationKey("verification.url", \.verifier.endpoint.url, .address).defaults(to: "none: it must be set").means("URL of the verification service; if the URL has no path, the path that belongs to verification.dialect is added."),
            ConfigurationKey("verification.dialect", \.verifier.dialect, .word).means("API that the service speaks."),
            ConfigurationKey("verification.api_key", \.verifier.apiKey, .credential).means("API key of the account at the verification service."),
            ConfigurationKey("verification.api_secret", \.verifier.apiSecret, .credential).means("API secret of the account at the verification service."),
            ConfigurationKey("verification.auth", \.verifier.authentication, .word).means("How calls authenticate: the API key and the API secret are sent as fields of the form, or a signature made from both is sent."),
            ConfigurationKey("verification.legality_threshold", \.engine.rules.legalityThreshold, .number(0...1)).means("Lowest score with which a card passes as genuine; if the service gives a threshold of its own, that threshold applies instead."),
        ] + Self.calls(of: .verification, .serviceVerification)

    private static func calls(of service: Configuration.Service, _ peer: Message) -> [ConfigurationKey] {
        let section = service.rawValue
        return [
            ConfigurationKey("\(section).concurrency", \.[pace: service].concurrency, .integer(1...256)).means("Maximum number of parallel calls to \(peer); depending on the answers, fewer calls run in parallel for a while."),
            ConfigurationKey("\(section).rate", \.[pace: service].rate, .rate).means("Maximum number of calls to \(peer) per second; 0 means no limit."),
            ConfigurationKey("\(section).timeout", \.[endpoint: service].timeout, .duration(callTimes)).means("Maximum time of one call to \(peer)."),
            ConfigurationKey("\(section).max_attempts", \.[pace: service].maxAttempts, .integer(1...100)).means("Maximum number of failed calls to \(peer) for one card; failures count only while calls for other cards succeed."),
            .optional("\(section).proxy", \.[endpoint: service].proxy, .secret).means("HTTP proxy for \(peer), http://host:port; may contain user name and password."),
            .optional("\(section).tls.ca_file", \.[endpoint: service].tls.caFile, .path).means("PEM file with certificate authorities; only these are trusted for \(peer). A self-signed certificate counts as its own authority."),
            .optional("\(section).tls.client_certificate", \.[endpoint: service].tls.clientCertificate, .path).means("PEM file with the client certificate, and its chain, for \(peer)."),
            .optional("\(section).tls.client_key", \.[endpoint: service].tls.clientKey, .path).means("PEM file (mode 0600) with the private key of the certificate in tls.client_certificate."),
        ]
    }

    static let verdict: [ConfigurationKey] =
        [
            ConfigurationKey("verdict.min_age", \.engine.rules.minimumAge, .integer(0...150)).means("Minimum age of the holder in whole years; 0 means no check.")
        ]
        + VerdictRule.allCases.map { rule in
            ConfigurationKey("verdict.severity.\(rule.rawValue)", \.engine.rules[severity: rule], .word(rule.possibleSeverities)).means("What happens to a card that violates the rule \(rule).")
        }

    static let delivery: [ConfigurationKey] =
        [
            ConfigurationKey("delivery.url", \.backend.endpoint.url, .address).defaults(to: "none: it must be set").means("URL of the business backend, with its path."),
            ConfigurationKey("allow_http.hosts", \.httpHosts, .list).means("Other machines (host:port) that may be called over http, although everything sent there can be read on the way."),
            ConfigurationKey("delivery.layout", \.backend.layout, .word).means("What one request carries: single = one card; application = front and back of a case; batch = many cards of one user account."),
            ConfigurationKey("delivery.body", \.backend.body, .word).means("Body of a request: a multipart form, or the image alone with the other fields as headers."),
            ConfigurationKey("delivery.batch_max_cards", \.engine.batchMaxCards, .integer(1...1000)).means("With delivery.layout batch: maximum number of cards in one request."),
            ConfigurationKey("delivery.batch_max_bytes", \.engine.batchMaxBytes, .bytes(10_000...(1 << 30))).means("With delivery.layout batch: maximum total size of the images in one request; a card whose image is larger is sent alone."),
            ConfigurationKey("delivery.batch_wait", \.engine.batchWait, .duration(.zero...(.seconds(3600)))).means("With delivery.layout batch: how long a request waits for more cards after its first."),
            .optional("delivery.token", \.deliverySecrets.token, .secret).means("TOKEN of the form; set only one of delivery.token, delivery.token_file and delivery.token_command."),
            .optional("delivery.token_file", \.deliverySecrets.tokenFile, .path).means("File (mode 0600) with the TOKEN; reread for every delivery."),
            .optional("delivery.token_command", \.deliverySecrets.tokenCommand, .command).means("Command for /bin/sh -c; the first line of its output is the TOKEN. The command is run again when the backend refuses the TOKEN."),
            .optional("delivery.user_no", \.backend.userNumber, .userNumber).means("USERNO that is sent for cards without a user account (user_no) of their own."),
            ConfigurationKey("delivery.back_without_front", \.engine.policy.backWithoutFront, .word).means("What happens to a back without a front: it waits for the front, or it is sent after delivery.front_wait."),
            ConfigurationKey("delivery.on_unknown", \.engine.onUnknown, .word).means("What happens after a delivery whose outcome is unknown: the pipeline sends the same request again with the same Idempotency-Key, or holds the card until a person decides."),
            ConfigurationKey("delivery.front_wait", \.engine.frontWait, .duration(waits)).means("How long a front or a back that arrives alone waits for the other side."),
            ConfigurationKey("delivery.reuse_connections", \.backend.endpoint.reusesConnections, .yesOrNo).means("Whether requests share connections; set false for a backend that answers some requests twice."),
        ] + Self.calls(of: .delivery, .serviceBackend)

    static let form: [ConfigurationKey] = [
        ConfigurationKey("delivery.business_type", \.backend.form.businessTypeValue, .text).means("BUSINESSTYPE of the form."),
        ConfigurationKey("delivery.doctype.front", \.backend.form.frontDocumentType, .text).means("DOCTYPE of a front."),
        ConfigurationKey("delivery.doctype.back", \.backend.form.backDocumentType, .text).means("DOCTYPE of a back."),
        ConfigurationKey("delivery.filename.front", \.backend.form.frontFilename, .name).means("File name of a front."),
        ConfigurationKey("delivery.filename.back", \.backend.form.backFilename, .name).means("File name of a back."),
        ConfigurationKey("delivery.fields.token", \.backend.form.token, .name).means("Name of the field with the TOKEN."),
        ConfigurationKey("delivery.fields.user_no", \.backend.form.userNumber, .name).means("Name of the field with the user account."),
        ConfigurationKey("delivery.fields.business_type", \.backend.form.businessType, .name).means("Name of the field with the business type."),
        ConfigurationKey("delivery.fields.business_no", \.backend.form.businessNumber, .name).means("Name of the field with the business number."),
        ConfigurationKey("delivery.fields.doctype", \.backend.form.documentType, .name).means("Name of the field with the document type."),
        ConfigurationKey("delivery.fields.file", \.backend.form.file, .name).means("Name of the part with the image."),
    ]

    /// The prefix of names of further fields with constant values: `delivery.fields.CHANNEL: app`.
    static let fieldFamily = "delivery.fields."

    static let replies: [ConfigurationKey] = [
        ConfigurationKey("delivery.reply.code", \.backend.reply.code, .text).means("Name of the reply field that holds the code; data.code is a field within another one."),
        ConfigurationKey("delivery.reply.message", \.backend.reply.message, .text).means("Name of the reply field that holds the text."),
        ConfigurationKey("delivery.reply.items", \.backend.reply.items, .text).means("Name of the reply field that holds one answer per card."),
        ConfigurationKey("delivery.reply.encryption", \.deliverySecrets.replyEncryption, .word).means("How replies are encrypted; an encrypted reply is sent as Base64."),
        .optional("delivery.reply.key_file", \.deliverySecrets.replyKeyFile, .path).means("File (mode 0600) with the key of encrypted replies; the key must have either 16 bytes, or 24 bytes or more."),
        ConfigurationKey("delivery.reply.iv", \.deliverySecrets.replyStartVector, .secret).defaults(to: "the one of the convention").means("Initialisation vector for 3des-cbc: 8 bytes."),
        ConfigurationKey("delivery.retcode.success", \.backend.retcodes.success, .codes).means("RETCODEs of an accepted card; http_204 (also 200, 201, 202) stands for that status without a body."),
        ConfigurationKey("delivery.retcode.already_exists", \.backend.retcodes.alreadyExists, .codes).means("RETCODEs that mean: the backend already has the card. The card then counts as delivered."),
        ConfigurationKey("delivery.retcode.token_expired", \.backend.retcodes.tokenExpired, .codes).means("RETCODEs, or HTTP statuses such as http_403, that mean: the backend applied nothing and needs a new TOKEN."),
        ConfigurationKey("delivery.retcode.retryable", \.backend.retcodes.retryable, .codes).means("RETCODEs that mean: send the same request later."),
        ConfigurationKey("delivery.retcode.rejected", \.backend.retcodes.rejected, .codes).means("RETCODEs of a refused card."),
        ConfigurationKey("delivery.retcode.unlisted", \.backend.retcodes.unlisted, .word).means("What happens to a card whose RETCODE is in no list."),
    ]

    static let pace: [ConfigurationKey] = [
        ConfigurationKey("retry.base", \.engine.retry.base, .duration(.milliseconds(1)...(.seconds(3600)))).means("Upper limit of the delay after the first failure; each further failure doubles this limit; the actual delay is a random time below the limit."),
        ConfigurationKey("retry.cap", \.engine.retry.cap, .duration(.milliseconds(1)...(.seconds(86_400)))).means("Longest delay before a retry."),
        ConfigurationKey("stop.probe_interval", \.engine.probeInterval, .duration(.seconds(1)...(.seconds(86_400)))).means("Longest pause before a stopped stage tries one card."),
        ConfigurationKey("run.patience", \.engine.patience, .duration(.zero...(.seconds(86_400)))).means("How long a run waits for cards whose next attempt is due later."),
        ConfigurationKey("run.shutdown_timeout", \.engine.shutdownTimeout, .duration(.zero...(.seconds(3600)))).means("How long calls in progress may take after SIGINT or SIGTERM."),
    ]
}

extension Configuration {
    enum Service: String, CaseIterable, Sendable {
        case verification, delivery
    }

    fileprivate subscript(pace service: Service) -> EngineSettings.Pace {
        get { service == .verification ? self.engine.verification : self.engine.delivery }
        set { self[keyPath: service == .verification ? \Self.engine.verification : \Self.engine.delivery] = newValue }
    }

    subscript(endpoint service: Service) -> EndpointSettings {
        get { service == .verification ? self.verifier.endpoint : self.backend.endpoint }
        set { self[keyPath: service == .verification ? \Self.verifier.endpoint : \Self.backend.endpoint] = newValue }
    }
}

extension VerdictRules {
    /// The severity of a rule: its default unless another one is set.
    fileprivate subscript(severity rule: VerdictRule) -> VerdictSeverity {
        get { self.severities[rule] ?? rule.defaultSeverity }
        set { self.severities[rule] = newValue == rule.defaultSeverity ? nil : newValue }
    }
}

import CardEngine
import CardModel
import CardRemote

private let callTimes = Duration.milliseconds(100)...Duration.seconds(3600)
private let waits = Duration.zero...Duration.seconds(86_400)

extension ConfigurationKey {
    static let verification: [ConfigurationKey] =
        [
            ConfigurationKey("verification.url", \.verifier.endpoint.url, .address)
                .defaults(to: "none: it must be set")
                .means("Address of the verification service; the dialect's path is added where it has none."),
            ConfigurationKey("verification.dialect", \.verifier.dialect, .word)
                .means("What the service speaks."),
            ConfigurationKey("verification.api_key", \.verifier.apiKey, .credential)
                .means("Key of the account at the service."),
            ConfigurationKey("verification.api_secret", \.verifier.apiSecret, .credential)
                .means("Secret of the account at the service."),
            ConfigurationKey("verification.auth", \.verifier.authentication, .word)
                .means(
                    "How calls prove the account: key and secret in every form, or a signature made with the secret."
                ),
            ConfigurationKey("verification.legality_threshold", \.engine.rules.legalityThreshold, .number(0...1))
                .means("Least score as a genuine card that passes, unless the service names its own."),
        ] + Self.calls(of: .verification, "the verification service")

    private static func calls(of service: Configuration.Service, _ peer: String) -> [ConfigurationKey] {
        let section = service.rawValue
        return [
            ConfigurationKey("\(section).concurrency", \.[pace: service].concurrency, .integer(1...256))
                .means("Most calls of \(peer) at a time; its answers may lower it for a while."),
            ConfigurationKey("\(section).rate", \.[pace: service].rate, .rate)
                .means("Most calls of \(peer) per second; 0 sets no limit."),
            ConfigurationKey("\(section).timeout", \.[endpoint: service].timeout, .duration(callTimes))
                .means("Longest time of one call of \(peer)."),
            ConfigurationKey("\(section).max_attempts", \.[pace: service].maxAttempts, .integer(1...100))
                .means("Failed calls of \(peer) after which a card ends; they count only while it takes other cards."),
            .optional("\(section).proxy", \.[endpoint: service].proxy, .secret)
                .means("HTTP proxy on the way to \(peer), http://host:port; may hold user name and password."),
            .optional("\(section).tls.ca_file", \.[endpoint: service].tls.caFile, .path)
                .means("PEM file with the only authorities trusted for \(peer); a self-signed certificate is its own."),
            .optional("\(section).tls.client_certificate", \.[endpoint: service].tls.clientCertificate, .path)
                .means("PEM file with the certificate, and its chain, by which \(peer) knows us."),
            .optional("\(section).tls.client_key", \.[endpoint: service].tls.clientKey, .path)
                .means("PEM file (mode 0600) with the private key of that certificate."),
        ]
    }

    static let verdict: [ConfigurationKey] =
        [
            ConfigurationKey("verdict.min_age", \.engine.rules.minimumAge, .integer(0...150))
                .means("Least age of the holder in whole years; 0 asks for none.")
        ]
        + VerdictRule.allCases.map { rule in
            ConfigurationKey(
                "verdict.severity.\(rule.rawValue)",
                \.engine.rules[severity: rule],
                .word(rule.possibleSeverities)
            )
            .means("What happens to a card that the rule \(rule.rawValue) finds wanting.")
        }

    static let delivery: [ConfigurationKey] =
        [
            ConfigurationKey("delivery.url", \.backend.endpoint.url, .address)
                .defaults(to: "none: it must be set")
                .means("Address of the business backend, with its path."),
            ConfigurationKey("allow_http.hosts", \.httpHosts, .list)
                .means(
                    "Other machines, each host:port, whose verification.url or delivery.url may be http: others can read all that goes there."
                ),
            ConfigurationKey("delivery.layout", \.backend.layout, .word)
                .means("Cards of a request: one; front and back of a business number; several of one user account."),
            ConfigurationKey("delivery.body", \.backend.body, .word)
                .means("Form of a request: a multipart form, or the image alone with the other fields as headers."),
            ConfigurationKey("delivery.batch_max_cards", \.engine.batchMaxCards, .integer(1...1000))
                .means("Most cards of a request in the layout batch."),
            ConfigurationKey("delivery.batch_max_bytes", \.engine.batchMaxBytes, .bytes(10_000...(1 << 30)))
                .means("Most bytes of the images of a request in the layout batch; a larger card goes alone."),
            ConfigurationKey("delivery.batch_wait", \.engine.batchWait, .duration(.zero...(.seconds(3600))))
                .means("How long the first card of a request waits for others in the layout batch."),
            .optional("delivery.token", \.deliverySecrets.token, .secret)
                .means("TOKEN of the form; set one of this, delivery.token_file and delivery.token_command."),
            .optional("delivery.token_file", \.deliverySecrets.tokenFile, .path)
                .means("File (mode 0600) that holds the TOKEN; it is read again for every delivery."),
            .optional("delivery.token_command", \.deliverySecrets.tokenCommand, .secret)
                .means(
                    "Command for /bin/sh -c whose first line of output is the TOKEN; it is run again when that is refused."
                ),
            .optional("delivery.user_no", \.backend.userNumber, .userNumber)
                .means("USERNO of the form for cards whose metadata names none."),
            ConfigurationKey("delivery.back_without_front", \.engine.policy.backWithoutFront, .word)
                .means("Whether a back whose front is not known waits, or is sent once its wait is over."),
            ConfigurationKey("delivery.on_unknown", \.engine.onUnknown, .word)
                .means(
                    "After a call with unknown outcome: send the same again under the same key, or leave it to a person."
                ),
            ConfigurationKey("delivery.front_wait", \.engine.frontWait, .duration(waits))
                .means("How long a card that arrives singly waits for its other side."),
            ConfigurationKey("delivery.reuse_connections", \.backend.endpoint.reusesConnections, .yesOrNo)
                .means("Whether requests share connections; false is for backends that answer some requests twice."),
        ] + Self.calls(of: .delivery, "the business backend")
}

extension Configuration {
    enum Service: String, CaseIterable, Sendable {
        case verification, delivery
    }

    fileprivate subscript(pace service: Service) -> EngineSettings.Pace {
        get { service == .verification ? self.engine.verification : self.engine.delivery }
        set {
            if service == .verification { self.engine.verification = newValue } else { self.engine.delivery = newValue }
        }
    }

    subscript(endpoint service: Service) -> EndpointSettings {
        get { service == .verification ? self.verifier.endpoint : self.backend.endpoint }
        set {
            if service == .verification { self.verifier.endpoint = newValue } else { self.backend.endpoint = newValue }
        }
    }
}

extension VerdictRules {
    /// What follows from a rule, its default where nothing else is set.
    fileprivate subscript(severity rule: VerdictRule) -> VerdictSeverity {
        get { self.severities[rule] ?? rule.defaultSeverity }
        set { self.severities[rule] = newValue == rule.defaultSeverity ? nil : newValue }
    }
}

extension ConfigurationKey {
    static let form: [ConfigurationKey] = [
        ConfigurationKey("delivery.business_type", \.backend.form.businessTypeValue, .text)
            .means("BUSINESSTYPE of the form."),
        ConfigurationKey("delivery.doctype.front", \.backend.form.frontDocumentType, .text)
            .means("Kind of document of a front."),
        ConfigurationKey("delivery.doctype.back", \.backend.form.backDocumentType, .text)
            .means("Kind of document of a back."),
        ConfigurationKey("delivery.filename.front", \.backend.form.frontFilename, .text)
            .means("File name of a front."),
        ConfigurationKey("delivery.filename.back", \.backend.form.backFilename, .text)
            .means("File name of a back."),
        ConfigurationKey("delivery.fields.token", \.backend.form.token, .text)
            .means("Name of the field with the TOKEN."),
        ConfigurationKey("delivery.fields.user_no", \.backend.form.userNumber, .text)
            .means("Name of the field with the user account."),
        ConfigurationKey("delivery.fields.business_type", \.backend.form.businessType, .text)
            .means("Name of the field with the kind of business."),
        ConfigurationKey("delivery.fields.business_no", \.backend.form.businessNumber, .text)
            .means("Name of the field with the business number."),
        ConfigurationKey("delivery.fields.doctype", \.backend.form.documentType, .text)
            .means("Name of the field with the kind of document."),
        ConfigurationKey("delivery.fields.file", \.backend.form.file, .text)
            .means("Name of the part with the image."),
    ]

    /// What stands before the names of further fields with constant values: `delivery.fields.CHANNEL: app`.
    static let fieldFamily = "delivery.fields."

    static let replies: [ConfigurationKey] = [
        ConfigurationKey("delivery.reply.code", \.backend.reply.code, .text)
            .means("Name of the reply's field with the code."),
        ConfigurationKey("delivery.reply.message", \.backend.reply.message, .text)
            .means("Name of the reply's field with the text."),
        ConfigurationKey("delivery.reply.items", \.backend.reply.items, .text)
            .means("Name of the reply's field with one answer per card."),
        ConfigurationKey("delivery.reply.encryption", \.deliverySecrets.replyEncryption, .word)
            .means("How replies are encrypted; they are then Base64 of that."),
        .optional("delivery.reply.key_file", \.deliverySecrets.replyKeyFile, .path)
            .means("File (mode 0600) with the key of encrypted replies: 16 bytes, or 24 and more."),
        ConfigurationKey("delivery.reply.iv", \.deliverySecrets.replyStartVector, .secret)
            .defaults(to: "that of the convention")
            .means("Start vector of 3des-cbc: 8 bytes."),
        ConfigurationKey("delivery.retcode.success", \.backend.retcodes.success, .codes)
            .means("RETCODEs of an accepted card."),
        ConfigurationKey("delivery.retcode.already_exists", \.backend.retcodes.alreadyExists, .codes)
            .means("RETCODEs of a card that the backend had before; it counts as delivered."),
        ConfigurationKey("delivery.retcode.token_expired", \.backend.retcodes.tokenExpired, .codes)
            .means("RETCODEs, or statuses as http_403, that say: nothing was applied, a new TOKEN is needed."),
        ConfigurationKey("delivery.retcode.retryable", \.backend.retcodes.retryable, .codes)
            .means("RETCODEs that say: send the same later."),
        ConfigurationKey("delivery.retcode.rejected", \.backend.retcodes.rejected, .codes)
            .means("RETCODEs of a refused card."),
        ConfigurationKey("delivery.retcode.unlisted", \.backend.retcodes.unlisted, .word)
            .means("What happens to a card whose RETCODE is in no list."),
    ]

    static let pace: [ConfigurationKey] = [
        ConfigurationKey("retry.base", \.engine.retry.base, .duration(.milliseconds(1)...(.seconds(3600))))
            .means(
                "Upper bound of the first delay after a failure; it doubles with every one, and the delay is drawn below it."
            ),
        ConfigurationKey("retry.cap", \.engine.retry.cap, .duration(.milliseconds(1)...(.seconds(86_400))))
            .means("Upper bound of every delay."),
        ConfigurationKey("stop.probe_interval", \.engine.probeInterval, .duration(.seconds(1)...(.seconds(86_400))))
            .means("Longest pause of a stopped stage before it tries one card."),
        ConfigurationKey("run.patience", \.engine.patience, .duration(.zero...(.seconds(86_400))))
            .means("How long a run waits for cards that are to be repeated later."),
        ConfigurationKey("run.shutdown_timeout", \.engine.shutdownTimeout, .duration(.zero...(.seconds(3600))))
            .means("How long calls under way may go on after SIGINT or SIGTERM."),
    ]
}

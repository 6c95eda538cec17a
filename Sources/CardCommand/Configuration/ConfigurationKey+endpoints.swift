import CardEngine
import CardModel
import CardRemote

/// Times that a call may be given.
private let callTimes = Duration.milliseconds(100)...Duration.seconds(3600)
/// Times that work may wait.
private let waits = Duration.zero...Duration.seconds(86_400)

extension ConfigurationKey {
    static let verification: [ConfigurationKey] =
        [
            ConfigurationKey("verification.url", \.verifier.endpoint.url, .address)
                .defaults(to: "none: it must be set")
                .means("Address of the verification service; the dialect's path is added where it has none."),
            ConfigurationKey("verification.dialect", \.verifier.dialect, .word)
                .means("What the service speaks."),
            ConfigurationKey("verification.api_key", \.verifier.apiKey, .secret)
                .means("Key of the account at the service."),
            ConfigurationKey("verification.api_secret", \.verifier.apiSecret, .secret)
                .means("Secret of the account at the service."),
            ConfigurationKey("verification.auth", \.verifier.authentication, .word)
                .means(
                    "How calls prove the account: key and secret in every form, or a signature made with the secret."
                ),
            ConfigurationKey("verification.legality_threshold", \.engine.rules.legalityThreshold, .number(0...1))
                .means("Least score as a genuine card that passes, unless the service names its own."),
        ] + Self.calls(of: .verification, "the verification service")

    /// How an endpoint is called.
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
            .optional("delivery.user_no", \.backend.userNumber, .secret)
                .means("USERNO of the form for cards whose metadata names none."),
            ConfigurationKey("delivery.back_without_front", \.engine.policy.backWithoutFront, .word)
                .means("Whether a back whose front is not known waits, or is sent once its wait is over."),
            ConfigurationKey("delivery.on_unknown", \.engine.onUnknown, .word)
                .means(
                    "After a call with unknown outcome: send the same again under the same key, or leave it to a person."
                ),
            ConfigurationKey("delivery.front_wait", \.engine.frontWait, .duration(waits))
                .means("How long a card that arrives singly waits for its other side."),
        ] + Self.calls(of: .delivery, "the business backend")
}

extension Configuration {
    /// The services that are called.
    enum Service: String, CaseIterable, Sendable {
        case verification, delivery
    }

    /// How a service is called.
    fileprivate subscript(pace service: Service) -> EngineSettings.Pace {
        get { service == .verification ? self.engine.verification : self.engine.delivery }
        set {
            if service == .verification { self.engine.verification = newValue } else { self.engine.delivery = newValue }
        }
    }

    /// How a service is reached.
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

extension ConfigurationKey {
    static let verificationKeys = [
        ConfigurationKey(
            "verification.url",
            .url,
            .unset,
            "Address of the verification service, with its path."
        ),
        ConfigurationKey(
            "verification.dialect",
            .choice(["faceid-v1", "facepp-v1", "faceid-v3"]),
            .value("faceid-v1"),
            "What the service speaks: FaceID v1, Face++ cardpp v1 or FaceID v3."
        ),
        ConfigurationKey(
            "verification.api_key",
            .text,
            .unset,
            isSecret: true,
            "Key of the account at the verification service."
        ),
        ConfigurationKey(
            "verification.api_secret",
            .text,
            .unset,
            isSecret: true,
            "Secret of the account at the verification service."
        ),
        ConfigurationKey(
            "verification.auth",
            .choice(["key", "sign"]),
            .value("key"),
            "How calls prove the account: key and secret in every form, or a signature made with the secret."
        ),
        ConfigurationKey(
            "verification.sign_lifetime",
            .duration(.seconds(10)...(.seconds(24 * 3600))),
            .value("5m"),
            "How long a signature is good; clocks may differ by less than that."
        ),
        ConfigurationKey(
            "verification.legality_threshold",
            .number(0...1),
            .value("0.8"),
            "Least score as a genuine card that passes, unless the service names its own."
        ),
        ConfigurationKey(
            "verification.legality_unavailable",
            .choice(["hold", "accept", "reject"]),
            .value("hold"),
            "What happens to a card for which the service gives no legality."
        ),
        ConfigurationKey(
            "verification.concurrency",
            .integer(1...256),
            .value("32"),
            "Most verifications under way at the same time; how many the service allows is found out from its answers."
        ),
        ConfigurationKey(
            "verification.rate",
            .number(Self.anyRate),
            .value("0"),
            "Most verification calls per second; 0: no fixed limit."
        ),
        ConfigurationKey(
            "verification.timeout",
            .duration(Self.anyTimeout),
            .value("30s"),
            "Longest time of one verification call."
        ),
        ConfigurationKey(
            "verification.max_attempts",
            .integer(1...100),
            .value("5"),
            "Failed attempts after which a card is `failed`; they count only while the service takes other cards."
        ),
        ConfigurationKey(
            "verification.max_age",
            .duration(.seconds(60)...(.seconds(30 * 86_400))),
            .value("24h"),
            "How long after its first attempt a card that keeps failing is tried, if the service has taken others since."
        ),
        ConfigurationKey(
            "verification.proxy",
            .proxy,
            .unset,
            isSecret: true,
            "HTTP proxy on the way to the verification service, with its port; may hold user name and password."
        ),
    ]
}

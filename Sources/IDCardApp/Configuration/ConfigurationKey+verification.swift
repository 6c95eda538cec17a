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
            .choice(["faceid-v1"], planned: ["facepp-v1", "faceid-v3"]),
            .value("faceid-v1"),
            "What the service speaks; this version knows `faceid-v1`."
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
            .value("2"),
            "Verifications under way at the same time."
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
            "Attempts after which a card is `failed`."
        ),
    ]
}

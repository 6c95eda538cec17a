extension ConfigurationKey {
    static let deliveryKeys = [
        ConfigurationKey("delivery.url", .url, .unset, "Address of the business backend, with its path."),
        ConfigurationKey(
            "delivery.layout",
            .choice(["single"], planned: ["application", "batch"]),
            .value("single"),
            "Cards per request; this version knows `single`, one card."
        ),
        ConfigurationKey(
            "delivery.token",
            .text,
            .unset,
            isSecret: true,
            "TOKEN of the form; either this or `delivery.token_file`."
        ),
        ConfigurationKey(
            "delivery.token_file",
            .path,
            .unset,
            "File (mode 0600) that holds the TOKEN; read again when the backend asks for a new one."
        ),
        ConfigurationKey(
            "delivery.user_no",
            .text,
            .unset,
            isSecret: true,
            "USERNO of the form for cards whose metadata names none."
        ),
        ConfigurationKey("delivery.business_type", .text, .value("LOAN_APPLY"), "BUSINESSTYPE of the form."),
        ConfigurationKey(
            "delivery.concurrency",
            .integer(1...256),
            .value("4"),
            "Deliveries under way at the same time."
        ),
        ConfigurationKey(
            "delivery.timeout",
            .duration(Self.anyTimeout),
            .value("60s"),
            "Longest time of one delivery call."
        ),
        ConfigurationKey(
            "delivery.max_attempts",
            .integer(1...100),
            .value("8"),
            "Attempts after which a card is `failed`, or `held` if the backend may have it."
        ),
        ConfigurationKey(
            "delivery.on_unknown",
            .choice(["resend", "hold"]),
            .value("resend"),
            "After a call with unknown outcome: send the same again, or leave it to a person."
        ),
        ConfigurationKey(
            "delivery.front_wait",
            .duration(Self.anyWait),
            .value("10m"),
            "How long a back waits for a front that has not come."
        ),
    ]

    static let retcodeKeys = [
        ConfigurationKey("delivery.retcode.success", .list, .value("000000"), "RETCODEs that mean: accepted."),
        ConfigurationKey(
            "delivery.retcode.already_exists",
            .list,
            .value(""),
            "RETCODEs that mean: the backend had it before; counts as delivered."
        ),
        ConfigurationKey(
            "delivery.retcode.token_expired",
            .list,
            .value(""),
            "RETCODEs that mean: not applied, a new TOKEN is needed."
        ),
        ConfigurationKey(
            "delivery.retcode.retryable",
            .list,
            .value(""),
            "RETCODEs that mean: try again later. Every other one is a refusal."
        ),
    ]
}

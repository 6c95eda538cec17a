extension ConfigurationKey {
    static let deliveryKeys = [
        ConfigurationKey("delivery.url", .url, .unset, "Address of the business backend, with its path."),
        ConfigurationKey(
            "delivery.layout",
            .choice(["single", "application", "batch"]),
            .value("single"),
            "Cards per request: one; front and back of one business number; several cards of one user account."
        ),
        ConfigurationKey(
            "delivery.batch_max_cards",
            .integer(1...1000),
            .value("20"),
            "Most cards of one request in the layout `batch`."
        ),
        ConfigurationKey(
            "delivery.batch_max_bytes",
            .byteCount(10_000...(1 << 30)),
            .value("20MB"),
            "Most bytes of the images of one request in the layout `batch`; a larger card goes alone."
        ),
        ConfigurationKey(
            "delivery.batch_wait",
            .duration(.zero...(.seconds(3600))),
            .value("2s"),
            "How long the first card of a request waits for others in the layout `batch`."
        ),
        ConfigurationKey(
            "delivery.token",
            .text,
            .unset,
            isSecret: true,
            "TOKEN of the form; only one of this, `delivery.token_file` and `delivery.token_command`."
        ),
        ConfigurationKey(
            "delivery.token_file",
            .path,
            .unset,
            "File (mode 0600) that holds the TOKEN; read again when the backend asks for a new one."
        ),
        ConfigurationKey(
            "delivery.token_command",
            .text,
            .unset,
            isSecret: true,
            "Command for `/bin/sh -c` whose first line of output is the TOKEN; run again when a new one is needed."
        ),
        ConfigurationKey(
            "delivery.token_timeout",
            .duration(Self.anyTimeout),
            .value("10s"),
            "Longest time of `delivery.token_command`."
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
            "delivery.body",
            .choice(["multipart", "octet-stream"]),
            .value("multipart"),
            "Form of the request: a multipart form, or the image alone with the other fields as headers."
        ),
        ConfigurationKey(
            "delivery.header_prefix",
            .headerToken,
            .value("X-"),
            "What stands before the names of the fields in headers, with `octet-stream`."
        ),
        ConfigurationKey(
            "delivery.concurrency",
            .integer(1...256),
            .value("32"),
            "Most deliveries under way at the same time; how many the backend allows is found out from its answers."
        ),
        ConfigurationKey(
            "delivery.rate",
            .number(Self.anyRate),
            .value("0"),
            "Most delivery calls per second; 0: no fixed limit."
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
        ConfigurationKey(
            "delivery.blocked_wait",
            .duration(.zero...(.seconds(30 * 86_400))),
            .value("24h"),
            "How long a back whose front was refused stays `verified` before it is `held`."
        ),
        ConfigurationKey(
            "delivery.proxy",
            .proxy,
            .unset,
            isSecret: true,
            "HTTP proxy on the way to the business backend, with its port; may hold user name and password."
        ),
    ]
}

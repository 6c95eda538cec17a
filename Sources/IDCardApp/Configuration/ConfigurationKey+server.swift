extension ConfigurationKey {
    /// How `serve` listens, and what it takes.
    static let serverKeys = [
        ConfigurationKey(
            "server.listen",
            .text,
            .value("127.0.0.1:8080"),
            "Address and port on which `serve` takes requests; beyond this machine only with `server.tls`, and tokens or webhook secrets. Port 0 takes a free one."
        ),
        ConfigurationKey(
            "server.tls.certificate",
            .path,
            .unset,
            "PEM file with the certificate of `serve` and its chain, its own first; read anew at SIGHUP."
        ),
        ConfigurationKey(
            "server.tls.key",
            .path,
            .unset,
            "PEM file with the private key of `server.tls.certificate`."
        ),
        ConfigurationKey(
            "server.tokens_file",
            .path,
            .computed("$XDG_CONFIG_HOME/idcard-pipeline/tokens.json"),
            "File (mode 0600) of who may ask, with a hash of each token; `tokens add` and `tokens revoke` keep it."
        ),
        ConfigurationKey(
            "server.rate_limit",
            .integer(1...1_000_000),
            .value("600"),
            "Requests that one token may make in `server.rate_window`."
        ),
        ConfigurationKey(
            "server.rate_window",
            .duration(.seconds(1)...(.seconds(3600))),
            .value("60s"),
            "The time that `server.rate_limit` counts in."
        ),
        ConfigurationKey(
            "server.failed_rate_limit",
            .integer(1...1_000_000),
            .value("20"),
            "Requests without a valid token that one address may make in `server.rate_window`; and unsigned webhooks, before its large ones are read one at a time."
        ),
        ConfigurationKey(
            "server.cors_origins",
            .list,
            .value(""),
            "Origins whose pages may use the API in a browser, such as `https://desk.example`."
        ),
        ConfigurationKey(
            "server.max_connections",
            .integer(1...100_000),
            .value("512"),
            "Most connections at once; those beyond it get 503."
        ),
        ConfigurationKey(
            "server.max_connections_per_address",
            .integer(0...100_000),
            .value("0"),
            "Most connections at once from one address; 0: no such limit, as behind a proxy."
        ),
        ConfigurationKey(
            "server.header_bytes",
            .byteCount(1024...1 << 20),
            .value("16KiB"),
            "Most bytes of the head of a request."
        ),
        ConfigurationKey(
            "server.header_count",
            .integer(10...1000),
            .value("100"),
            "Most header fields of a request."
        ),
        ConfigurationKey(
            "server.header_timeout",
            .duration(Self.anyTimeout),
            .value("10s"),
            "Longest time that the head of a request may take."
        ),
        ConfigurationKey(
            "server.idle_timeout",
            .duration(Self.anyTimeout),
            .value("60s"),
            "How long a connection may wait for its next request."
        ),
        ConfigurationKey(
            "server.body_timeout",
            .duration(Self.anyTimeout),
            .value("15s"),
            "How long the body of a request may stand still."
        ),
        ConfigurationKey(
            "server.body_grace",
            .duration(Self.anyTimeout),
            .value("10s"),
            "How long a body may take before its pace counts."
        ),
        ConfigurationKey(
            "server.body_rate",
            .byteCount(0...1 << 30),
            .value("2KiB"),
            "Least bytes per second that a body must come with on average; 0: any."
        ),
        ConfigurationKey(
            "server.write_timeout",
            .duration(Self.anyTimeout),
            .value("30s"),
            "How long a client may take to read an answer."
        ),
        ConfigurationKey(
            "server.form_parts",
            .integer(1...1000),
            .value("20"),
            "Most parts of a form."
        ),
        ConfigurationKey(
            "server.form_overhead_bytes",
            .byteCount(1024...1 << 20),
            .value("64KiB"),
            "Most bytes that a form may have beside its image."
        ),
        ConfigurationKey(
            "server.max_spooled_bytes",
            .byteCount(1 << 20...1 << 40),
            .value("1GiB"),
            "Most bytes of images on their way into the sandbox at once (in unnamed files on its disk); beyond it, 503."
        ),
    ]

    /// What webhooks are believed.
    static let webhookKeys = [
        ConfigurationKey(
            "webhooks.secrets",
            .text,
            .unset,
            isSecret: true,
            "Secret of webhook senders (Standard Webhooks, `whsec_…`), or several with commas between, for a change without a gap. None: webhooks are refused."
        ),
        ConfigurationKey(
            "webhooks.secrets_file",
            .path,
            .unset,
            "File (mode 0600) with these secrets, one a line, read anew at SIGHUP; instead of `webhooks.secrets`."
        ),
        ConfigurationKey(
            "webhooks.tolerance_past",
            .duration(.seconds(1)...(.seconds(86_400))),
            .value("5m"),
            "How old the timestamp of a webhook may be."
        ),
        ConfigurationKey(
            "webhooks.tolerance_future",
            .duration(.zero...(.seconds(3600))),
            .value("60s"),
            "How far the timestamp of a webhook may lie ahead."
        ),
        ConfigurationKey(
            "webhooks.body_bytes",
            .byteCount(1024...1 << 30),
            .value("45MiB"),
            "Most bytes of a webhook; an image in Base64 takes four for three."
        ),
        ConfigurationKey(
            "webhooks.memory_bytes",
            .byteCount(1024...1 << 34),
            .value("128MiB"),
            "Most bytes of all webhooks that are in memory at once, half of them from one address; beyond it, 503."
        ),
    ]

    /// What runs on demand read.
    static let sourceKeys = [
        ConfigurationKey(
            "sources",
            .list,
            .value(""),
            "Folders, or manifests, for runs on demand, each `NAME=PATH`; `POST /v1/runs` names one of them."
        )
    ]
}

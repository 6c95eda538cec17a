extension ConfigurationKey {
    /// Every key of this version, in the order in which they are shown.
    package static let all: [ConfigurationKey] =
        Self.sandboxKeys + Self.imagingKeys + Self.verificationKeys + Self.deliveryKeys + Self.retcodeKeys
        + Self.engineKeys + Self.logKeys

    /// Durations that a call may be given.
    static let anyTimeout = Duration.milliseconds(100)...Duration.seconds(3600)
    /// Durations that work may wait.
    static let anyWait = Duration.zero...Duration.seconds(24 * 3600)

    private static let sandboxKeys = [
        ConfigurationKey(
            "sandbox.path",
            .path,
            .computed("$XDG_DATA_HOME/idcard-pipeline/sandbox"),
            "Folder of the sandbox, in which cards are durable; `--embedded` has its own, `…/embedded`."
        ),
        ConfigurationKey(
            "vault.mode",
            .choice(["none"], planned: ["encrypted"]),
            .value("none"),
            "Protection of images and fields in the sandbox; `none`: they lie there unencrypted."
        ),
    ]

    private static let engineKeys = [
        ConfigurationKey(
            "retry.base",
            .duration(.milliseconds(1)...(.seconds(3600))),
            .value("500ms"),
            "Upper bound of the first delay; it doubles with every attempt, the delay is drawn below it."
        ),
        ConfigurationKey(
            "retry.cap",
            .duration(.milliseconds(1)...(.seconds(24 * 3600))),
            .value("30s"),
            "Upper bound of every delay."
        ),
        ConfigurationKey(
            "run.patience",
            .duration(.zero...(.seconds(24 * 3600))),
            .value("60s"),
            "How long `run` waits since the last change of state for something to become runnable."
        ),
        ConfigurationKey(
            "stop.probe_interval",
            .duration(.seconds(1)...(.seconds(24 * 3600))),
            .value("5m"),
            "How often a stopped stage tries one card."
        ),
        ConfigurationKey(
            "http.connect_timeout",
            .duration(.milliseconds(50)...(.seconds(300))),
            .value("5s"),
            "Longest time for opening a connection, TLS included."
        ),
        ConfigurationKey(
            "http.max_reply_bytes",
            .byteCount(1024...(1 << 30)),
            .value("1MiB"),
            "Most bytes of a reply that are read."
        ),
    ]

    private static let logKeys = [
        ConfigurationKey(
            "log.level",
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            .value("info"),
            "Least severity that is logged, on standard error."
        ),
        ConfigurationKey("log.format", .choice(["text", "json"]), .value("text"), "Form of the log lines."),
    ]
}

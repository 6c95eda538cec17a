extension ConfigurationKey {
    /// Every key of this version, in the order in which they are shown.
    package static let all: [ConfigurationKey] =
        Self.sandboxKeys + Self.storageKeys + Self.vaultKeys + Self.imagingKeys
        + Self.verificationKeys + Self.tlsKeys(of: "verification", peer: "verification service")
        + Self.verdictKeys
        + Self.deliveryKeys + Self.retcodeKeys + Self.replyKeys + Self.formKeys
        + Self.tlsKeys(of: "delivery", peer: "business backend")
        + Self.serverKeys + Self.webhookKeys + Self.intakeKeys + Self.sourceKeys + Self.fetchKeys
        + Self.engineKeys + Self.watchKeys + Self.retentionKeys + Self.httpKeys + Self.logKeys

    /// Durations that a call may be given.
    static let anyTimeout = Duration.milliseconds(100)...Duration.seconds(3600)
    /// Calls per second; 0 stands for no limit.
    static let anyRate = 0.0...10_000.0
    /// Durations that work may wait.
    static let anyWait = Duration.zero...Duration.seconds(24 * 3600)

    private static let sandboxKeys = [
        ConfigurationKey(
            "sandbox.path",
            .path,
            .computed("$XDG_DATA_HOME/idcard-pipeline/sandbox"),
            "Folder of the sandbox, in which cards are durable; nothing in it is ever an input. `--embedded` has its own, `…/embedded`."
        ),
        ConfigurationKey(
            "sandbox.lease",
            .duration(.seconds(1)...(.seconds(24 * 3600))),
            .value("3m"),
            "How long work is reserved for a process that gives no sign of life; longer than every call may take."
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

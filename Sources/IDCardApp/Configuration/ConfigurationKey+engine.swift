extension ConfigurationKey {
    static let engineKeys = [
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
            "retry.budget_ratio",
            .number(0...10),
            .value("0.2"),
            "Most retries to one host, as a share of its first attempts; this keeps a failing host from being flooded."
        ),
        ConfigurationKey(
            "retry.budget_floor",
            .number(0...1000),
            .value("5"),
            "Retries per second to one host that are allowed whatever the share is."
        ),
        ConfigurationKey(
            "breaker.failures",
            .integer(1...10_000),
            .value("10"),
            "Failures of one host in a row after which it is left alone for a while; waiting costs no attempt."
        ),
        ConfigurationKey(
            "breaker.open_for",
            .duration(.milliseconds(100)...(.seconds(24 * 3600))),
            .value("10s"),
            "How long a host is left alone the first time; it doubles as long as the trial call fails."
        ),
        ConfigurationKey(
            "breaker.open_cap",
            .duration(.milliseconds(100)...(.seconds(24 * 3600))),
            .value("2m"),
            "Longest time a host is left alone before the next trial call."
        ),
        ConfigurationKey(
            "run.patience",
            .duration(.zero...(.seconds(24 * 3600))),
            .value("60s"),
            "How long `run` waits since the last change of state for something to become runnable."
        ),
        ConfigurationKey(
            "run.shutdown_timeout",
            .duration(.zero...(.seconds(3600))),
            .value("20s"),
            "How long requests under way may go on after SIGINT or SIGTERM; then they are cut off, at no attempt."
        ),
        ConfigurationKey(
            "stop.probe_interval",
            .duration(.seconds(1)...(.seconds(24 * 3600))),
            .value("5m"),
            "How often a stopped stage tries one card."
        ),
        ConfigurationKey(
            "stop.equal_refusals",
            .integer(0...1000),
            .value("3"),
            "Refusals in a row with one unlisted RETCODE, of different business numbers, that stop delivery; 0: never."
        ),
    ]
}

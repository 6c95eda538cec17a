extension ConfigurationKey {
    /// How long a card may stay in a state in which nothing more happens by itself; 0 for as long as nobody erases it.
    static let retentionKeys = [
        ConfigurationKey(
            "retention.delivered",
            Self.anyRetention,
            .value("90d"),
            "How long a delivered card is kept; after that only its file, not its content, is known to be a duplicate. 0: for ever."
        ),
        ConfigurationKey(
            "retention.rejected",
            Self.anyRetention,
            .value("30d"),
            "How long a rejected card is kept before it is erased; 0: for ever."
        ),
        ConfigurationKey(
            "retention.superseded",
            Self.anyRetention,
            .value("30d"),
            "How long a card is kept whose place a newer photo took; 0: for ever."
        ),
        ConfigurationKey(
            "retention.failed",
            Self.anyRetention,
            .value("90d"),
            "How long a failed card is kept before it is erased; 0: for ever."
        ),
        ConfigurationKey(
            "retention.held",
            Self.anyRetention,
            .value("0s"),
            "How long a card waits for a person before it is erased; 0: for ever, as nobody but a person decides."
        ),
        ConfigurationKey(
            "retention.run_time",
            .duration(.seconds(1)...Duration.seconds(24 * 3600)),
            .value("10s"),
            "How long a run goes on erasing what has expired after its cards have ended; the next run goes on with the rest."
        ),
        ConfigurationKey(
            "retention.receipts",
            .duration(.seconds(24 * 3600)...Duration.seconds(3650 * 24 * 3600)),
            .value("7d"),
            "How long a webhook's id or an Idempotency-Key is known as one that came before; longer than any sender repeats it."
        ),
    ]

    /// Ten years at most: who means longer writes 0.
    private static let anyRetention = ConfigurationForm.duration(.zero...Duration.seconds(3650 * 24 * 3600))
}

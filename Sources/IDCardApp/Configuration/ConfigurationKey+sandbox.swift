extension ConfigurationKey {
    /// How a sandbox deals with its disk and with other processes.
    static let storageKeys = [
        ConfigurationKey(
            "sandbox.busy_timeout",
            .duration(.seconds(1)...(.seconds(600))),
            .value("30s"),
            "How long to wait for a lock on the sandbox that another process holds."
        ),
        ConfigurationKey(
            "sandbox.wal_limit",
            .byteCount((1 << 20)...(1 << 34)),
            .value("64MiB"),
            "Size of the write-ahead log from which on readers are waited for, so that it can start anew."
        ),
        ConfigurationKey(
            "sandbox.intake_free_space",
            .byteCount(0...(1 << 50)),
            .value("256MiB"),
            "Free space on the disk of the sandbox below which nothing more is taken in."
        ),
        ConfigurationKey(
            "sandbox.work_free_space",
            .byteCount(0...(1 << 50)),
            .value("64MiB"),
            "Free space below which only what ends cards goes on: delivery and erasing."
        ),
        ConfigurationKey(
            "sandbox.ballast",
            .byteCount(0...(1 << 30)),
            .value("16MiB"),
            "Reserve on the disk that is given up when it is full, so that delivery and erasing still work; 0: none."
        ),
        ConfigurationKey(
            "sandbox.max_bytes",
            .byteCount(0...(1 << 50)),
            .value("0"),
            "Size of the sandbox from which on nothing more is taken in; 0: no limit but the disk."
        ),
        ConfigurationKey(
            "sandbox.upgrade_backup",
            .boolean,
            .value("true"),
            "Whether the sandbox of an older version is copied before it is changed; the first erasure removes the copy."
        ),
        ConfigurationKey(
            "sandbox.image_cache",
            .byteCount(0...(1 << 30)),
            .value("8MiB"),
            "Memory for images of cards under way, so that no stage reads again what the one before made; 0: none."
        ),
        ConfigurationKey(
            "sandbox.max_queue",
            .integer(1...10_000_000),
            .value("10000"),
            "Cards under way from which on a service takes nothing more in: 503 over HTTP, files stay where they are."
        ),
        ConfigurationKey(
            "sandbox.max_waiting",
            .integer(1...10_000_000),
            .value("100000"),
            "Cards that wait for a person (held or blocked) from which on a service takes nothing more in; `run` does."
        ),
    ]
}

extension ConfigurationKey {
    /// For every outbound call.
    static let httpKeys = [
        ConfigurationKey(
            "http.connect_timeout",
            .duration(.milliseconds(50)...(.seconds(300))),
            .value("5s"),
            "Longest time for opening a connection, TLS included."
        ),
        ConfigurationKey(
            "http.pool_wait_timeout",
            .duration(.milliseconds(50)...(.seconds(300))),
            .value("5s"),
            "Longest time a call waits for a free connection."
        ),
        ConfigurationKey(
            "http.idle_write_timeout",
            .duration(Self.anyTimeout),
            .value("30s"),
            "Longest time in which the remote takes nothing of a request that is being sent."
        ),
        ConfigurationKey(
            "http.idle_read_timeout",
            .duration(.zero...(.seconds(3600))),
            .value("0s"),
            "Longest silence of the remote once the request is sent; `0s`: only the timeout of the call counts."
        ),
        ConfigurationKey(
            "http.pool_idle_timeout",
            .duration(.milliseconds(100)...(.seconds(600))),
            .value("4s"),
            "How long an unused connection is kept; below the server's own time, often 5 s."
        ),
        ConfigurationKey(
            "http.max_reply_bytes",
            .byteCount(1024...(1 << 30)),
            .value("1MiB"),
            "Most bytes of a reply that are read."
        ),
    ]
}

import CardModel

/// The keys of the first edition that are gone, and what takes their place.
enum RemovedKeys {
    /// What to do about a key that is gone; `nil` if there was none of this name.
    static func remedy(_ name: String) -> Message? {
        if let replaced = Self.replaced[name] { return replaced }
        return Self.constants.contains(name) ? "it is a constant now; remove it" : nil
    }

    /// Their variables, to be told from names that never were.
    static var names: [String] { Array(Self.replaced.keys) + Self.constants.sorted() }

    private static let replaced = Self.renamed.merging(Self.unverified) { first, _ in first }

    /// What let a service be believed without an authority.
    private static let unverified: [String: Message] = Dictionary(
        uniqueKeysWithValues: Configuration.Service.allCases.map(\.rawValue).flatMap { service in
            ["pinned_certificates", "pins", "insecure", "insecure_force"].map {
                ("\(service).tls.\($0)", "use \(service).tls.ca_file: a self-signed certificate is its own")
            }
        }
    )

    private static let renamed: [String: Message] = [
        "vault.mode": "the sandbox is always encrypted; remove it, and make a key by keys init",
        "verification.legality_unavailable": "use verdict.severity.legality_unavailable",
        "delivery.blocked_wait": "a back without its front is listed by status until a person decides; remove it",
        "delivery.header_prefix": "the headers of octet-stream have a fixed prefix; remove it",
        "delivery.reply.key": "write the key to a file of mode 0600 and name it by delivery.reply.key_file",
        "stop.equal_refusals": "use delivery.retcode.unlisted: hold (the default) or reject",
        "retention.superseded": "use retention.rejected, which covers superseded cards",
        "watch.done_folder": "done files go to done/ below each watched folder; remove it",
        "watch.failed_folder": "refused files go to failed/ below each watched folder; remove it",
        "server.rate_window": "server.rate_limit counts by the minute; remove it",
    ]

    private static let constants: Set<String> = [
        "breaker.failures", "breaker.open_cap", "breaker.open_for", "delivery.token_timeout", "fetch.concurrency",
        "fetch.connect_timeout", "fetch.host_concurrency", "fetch.max_age", "fetch.max_attempts", "fetch.max_url_bytes",
        "fetch.parallel_above", "fetch.parallel_ranges", "fetch.resolve_timeout", "fetch.stall_timeout",
        "fetch.timeout", "fetch.user_agent", "http.connect_timeout", "http.idle_read_timeout",
        "http.idle_write_timeout",
        "http.max_reply_bytes", "http.pool_idle_timeout", "http.pool_wait_timeout", "imaging.max_attempts",
        "imaging.max_crashes", "imaging.max_decode_bytes", "imaging.max_decode_time", "imaging.max_scans",
        "imaging.max_source_edge", "retention.receipts", "retention.run_time", "retry.budget_floor",
        "retry.budget_ratio", "sandbox.ballast", "sandbox.busy_timeout", "sandbox.image_cache", "sandbox.lease",
        "sandbox.max_bytes", "sandbox.max_queue", "sandbox.max_waiting", "sandbox.upgrade_backup", "sandbox.wal_limit",
        "sandbox.work_free_space", "server.body_grace", "server.body_rate", "server.body_timeout",
        "server.failed_rate_limit", "server.form_overhead_bytes", "server.form_parts", "server.header_bytes",
        "server.header_count", "server.header_timeout", "server.idle_timeout", "server.max_connections",
        "server.max_connections_per_address", "server.max_spooled_bytes", "server.write_timeout", "vault.key_timeout",
        "verdict.expiry_notice_days", "verification.max_age", "verification.sign_lifetime", "watch.attempts",
        "watch.close_wait", "watch.concurrency", "watch.manifests", "watch.max_manifest_bytes", "watch.open_wait",
        "watch.pending_files", "watch.poll_interval", "watch.rescan_interval", "watch.retry_base", "watch.retry_cap",
        "webhooks.body_bytes", "webhooks.memory_bytes", "webhooks.tolerance_future", "webhooks.tolerance_past",
    ]
}

import IDCardCore

/// The rules that join several keys; a rule whose keys could not be read says nothing.
struct ConfigurationChecks {
    let values: ResolvedConfiguration
    /// Whether the built-in endpoints take the place of the configured ones.
    let embedded: Bool
    /// Whether the files that hold secrets and certificates for the endpoints are read.
    var readsFiles = true

    /// What makes the configuration unusable.
    var problems: [ConfigurationError.Problem] {
        self.timeProblems + self.formProblems + self.replyProblems + self.retcodeProblems + self.tokenProblems
            + self.tlsProblems + self.vaultProblems + self.intakeProblems + self.watchProblems
    }

    private var timeProblems: [ConfigurationError.Problem] {
        // The end of a run would come before the wait is over, at every run anew.
        let batch =
            self.values.find("delivery.layout", \.text) == "batch" ? [("delivery.batch_wait", "run.patience")] : []
        let limits =
            [
                ("retry.base", "retry.cap"), ("http.connect_timeout", "verification.timeout"),
                ("http.connect_timeout", "delivery.timeout"), ("breaker.open_for", "breaker.open_cap"),
                ("watch.retry_base", "watch.retry_cap"),
            ] + batch
        let problems = limits.compactMap { lower, upper -> ConfigurationError.Problem? in
            guard
                let shorter = self.values.find(lower, \.duration),
                let longer = self.values.find(upper, \.duration),
                shorter > longer
            else { return nil }
            return .init(
                .conflict,
                key: lower,
                "\(lower) (\(DurationText.render(shorter))) must not be longer than \(upper) "
                    + "(\(DurationText.render(longer)))"
            )
        }
        return problems + self.idleReadProblems + self.leaseProblems
    }

    /// A lease that ends before what it covers lets another process begin the same work.
    private var leaseProblems: [ConfigurationError.Problem] {
        let key = "sandbox.lease"
        let covered = [
            "verification.timeout", "delivery.timeout", "http.connect_timeout", "http.pool_wait_timeout",
            "http.idle_write_timeout", "http.idle_read_timeout", "run.shutdown_timeout", "imaging.max_decode_time",
        ]
        guard let lease = self.values.find(key, \.duration) else { return [] }
        return covered.compactMap { path in
            guard let duration = self.values.find(path, \.duration), duration >= lease else { return nil }
            return .init(
                .conflict,
                key: key,
                "\(key) (\(DurationText.render(lease))) must be longer than \(path) "
                    + "(\(DurationText.render(duration))): work would be taken from a process that is still at it"
            )
        }
    }

    /// Zero means off, and a few milliseconds would cut off every reply.
    private var idleReadProblems: [ConfigurationError.Problem] {
        let key = "http.idle_read_timeout"
        let least = Duration.milliseconds(100)
        guard let duration = self.values.find(key, \.duration), duration != .zero, duration < least else { return [] }
        let message =
            "\(key) (\(DurationText.render(duration))) must be 0s, which turns it off, or at least "
            + DurationText.render(least)
        return [.init(.outOfRange, key: key, message)]
    }

    private static let retcodeLists = ["success", "already_exists", "token_expired", "retryable", "rejected"]

    private var retcodeProblems: [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        var owners: [String: String] = [:]
        for path in Self.retcodeLists.map({ "delivery.retcode.\($0)" }) {
            for code in Set(self.values.find(path, \.list) ?? []).sorted() {
                if let owner = owners[code] {
                    let message = "RETCODE \(code) cannot be both in \(owner) and in \(path)"
                    problems.append(.init(.conflict, key: path, message))
                } else {
                    owners[code] = path
                }
            }
        }
        if self.values.find("delivery.retcode.success", \.list) == [] {
            let key = "delivery.retcode.success"
            problems.append(.init(.conflict, key: key, "\(key) is empty, so no delivery could ever be accepted"))
        }
        return problems
    }
}

import IDCardCore

extension ConfigurationChecks {
    /// Limits that do not go well together.
    var limitNotices: [ConfigurationNotice] {
        self.storageNotices + self.edgeNotices + self.batchNotices + self.retryNotices + self.idleNotices
            + self.severityNotices
    }

    private var storageNotices: [ConfigurationNotice] {
        let key = "sandbox.intake_free_space"
        guard let intake = self.values.find(key, \.integer),
            let work = self.values.find("sandbox.work_free_space", \.integer), intake < work
        else { return [] }
        return [
            .warning(
                key: key,
                "\(key) (\(ByteCountText.render(intake))) is less than sandbox.work_free_space "
                    + "(\(ByteCountText.render(work))): verification stops before intake does"
            )
        ]
    }

    private var edgeNotices: [ConfigurationNotice] {
        let key = "imaging.max_edge"
        guard let edge = self.values.find(key, \.integer),
            let word = self.values.find("verification.dialect", \.text),
            let dialect = AppConfiguration.Verification.Dialect(rawValue: word), edge > dialect.maximumEdge
        else { return [] }
        return [
            .warning(
                key: key,
                "\(key) (\(edge)) is above \(dialect.maximumEdge) pixels, the most that services of the dialect "
                    + "\(word) take"
            )
        ]
    }

    private var batchNotices: [ConfigurationNotice] {
        guard self.values.find("delivery.layout", \.text) == "batch" else { return [] }
        var notices: [ConfigurationNotice] = []
        if let most = self.values.find("delivery.batch_max_bytes", \.integer),
            let budget = self.values.find("imaging.byte_budget", \.integer), most < budget
        {
            notices.append(
                .warning(
                    key: "delivery.batch_max_bytes",
                    "delivery.batch_max_bytes (\(ByteCountText.render(most))) is less than one image may have "
                        + "(imaging.byte_budget, \(ByteCountText.render(budget))): large cards go alone"
                )
            )
        }
        return notices
    }

    private var retryNotices: [ConfigurationNotice] {
        let key = "retry.budget_ratio"
        guard self.values.find(key, \.number) == 0, self.values.find("retry.budget_floor", \.number) == 0 else {
            return []
        }
        return [.warning(key: key, "\(key) and retry.budget_floor are both 0: no failed call is ever repeated")]
    }

    /// Times for parts of a call that are longer than every call; only for those that somebody chose.
    private var idleNotices: [ConfigurationNotice] {
        var notices: [ConfigurationNotice] = []
        if let first = self.values.find("verification.timeout", \.duration),
            let second = self.values.find("delivery.timeout", \.duration)
        {
            for key in ["http.pool_wait_timeout", "http.idle_write_timeout", "http.idle_read_timeout"] {
                guard self.values.isChanged(key), let part = self.values.find(key, \.duration),
                    part > max(first, second)
                else { continue }
                let message =
                    "\(key) (\(DurationText.render(part))) never takes effect: verification.timeout and "
                    + "delivery.timeout end every call before"
                notices.append(.note(key: key, message))
            }
        }
        let key = "http.pool_idle_timeout"
        if let idle = self.values.find(key, \.duration), idle > .seconds(5) {
            let message =
                "\(key) (\(DurationText.render(idle))) is above 5s, after which many servers close unused connections: "
                + "a call may meet the closing and has to be repeated"
            notices.append(.note(key: key, message))
        }
        return notices
    }

    /// Rules that refuse or hold a card by default and now let it pass.
    private var severityNotices: [ConfigurationNotice] {
        let weakened = VerdictRule.allCases.filter { rule in
            let word = self.values.find(ConfigurationKey.severityPath(of: rule), \.text)
            guard let severity = word.flatMap(VerdictSeverity.init(rawValue:)) else { return false }
            return Self.stops(rule.defaultSeverity) && !Self.stops(severity)
        }
        guard let first = weakened.first else { return [] }
        let names = weakened.map(\.rawValue).joined(separator: ", ")
        let message = "verdict.severity lets cards pass that would be refused or held by default: \(names)"
        return [.note(key: ConfigurationKey.severityPath(of: first), message)]
    }

    private static func stops(_ severity: VerdictSeverity) -> Bool {
        switch severity {
        case .reject, .hold: true
        case .warn, .off: false
        }
    }
}

extension AppConfiguration {
    /// Keys under `http`, for every outbound call.
    package struct HTTP: Hashable, Sendable {
        /// Longest time for opening a connection, TLS included (`http.connect_timeout`).
        package let connectTimeout: Duration
        /// Longest time a call waits for a free connection (`http.pool_wait_timeout`).
        package let poolWaitTimeout: Duration
        /// Longest time in which the remote takes nothing of a request (`http.idle_write_timeout`).
        package let idleWriteTimeout: Duration
        /// Longest silence once the request is sent (`http.idle_read_timeout`); `nil`: only the call's timeout counts.
        package let idleReadTimeout: Duration?
        /// How long an unused connection is kept (`http.pool_idle_timeout`).
        package let poolIdleTimeout: Duration
        /// Most bytes of a reply (`http.max_reply_bytes`).
        package let maximumReplyBytes: Int

        init(_ values: ResolvedConfiguration) {
            self.connectTimeout = values.require("http.connect_timeout", \.duration)
            self.poolWaitTimeout = values.require("http.pool_wait_timeout", \.duration)
            self.idleWriteTimeout = values.require("http.idle_write_timeout", \.duration)
            let idleRead = values.require("http.idle_read_timeout", \.duration)
            self.idleReadTimeout = idleRead == .zero ? nil : idleRead
            self.poolIdleTimeout = values.require("http.pool_idle_timeout", \.duration)
            self.maximumReplyBytes = values.require("http.max_reply_bytes", \.integer)
        }
    }

    /// Most retries to one host, so that one that fails altogether is not flooded.
    package struct RetryBudget: Hashable, Sendable {
        /// Most retries as a share of the first attempts (`retry.budget_ratio`).
        package let ratio: Double
        /// Retries per second that are allowed whatever the share is (`retry.budget_floor`).
        package let floorPerSecond: Double

        init(_ values: ResolvedConfiguration) {
            self.ratio = values.require("retry.budget_ratio", \.number)
            self.floorPerSecond = values.require("retry.budget_floor", \.number)
        }
    }

    /// Keys under `breaker`: when a failing host is left alone, and for how long.
    package struct Breaker: Hashable, Sendable {
        /// Failures in a row that open it (`breaker.failures`).
        package let failures: Int
        /// How long it stays open the first time (`breaker.open_for`).
        package let openFor: Duration
        /// Longest time it stays open (`breaker.open_cap`); not shorter than ``openFor``.
        package let openCap: Duration

        init(_ values: ResolvedConfiguration) {
            self.failures = values.require("breaker.failures", \.integer)
            self.openFor = values.require("breaker.open_for", \.duration)
            self.openCap = values.require("breaker.open_cap", \.duration)
        }
    }
}

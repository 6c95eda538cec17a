package import IDCardCore

/// The figures the engine works by; each is a configuration key.
package struct EngineSettings: Hashable, Sendable {
    /// How many images are decoded at a time (`imaging.concurrency`).
    package var prepareConcurrency = 2
    /// How many images are fetched at a time (`fetch.concurrency`).
    package var fetchConcurrency = 4
    /// How many of them from one host (`fetch.host_concurrency`).
    package var fetchHostConcurrency = 2
    /// How long an image is tried for, from the moment it is to be fetched (`fetch.max_age`).
    package var fetchMaximumAge = Duration.seconds(86_400)
    /// How many attempts to fetch one image may fail (`fetch.max_attempts`).
    package var fetchMaximumAttempts = 20
    /// How many attempts to prepare one received image may fail for want of memory or time (`imaging.max_attempts`).
    package var prepareMaximumAttempts = 5
    /// With so many cards that are still to be moved nothing more is taken in by a service (`sandbox.max_queue`).
    package var maximumQueueDepth = 10_000
    /// With so many cards that wait for a person nothing more is taken in by a service (`sandbox.max_waiting`).
    package var maximumWaitingDepth = 100_000
    /// How many verifications are under way at a time (`verification.concurrency`).
    package var verifyConcurrency = 32
    /// How many deliveries are under way at a time (`delivery.concurrency`).
    package var deliverConcurrency = 32
    /// How many business numbers are decided on at a time: by the processors and the store, no endpoint is called.
    package var settleConcurrency = 4
    /// How many verifications of one card may fail while the verifier takes others (`verification.max_attempts`).
    package var verifyMaximumAttempts = 5
    /// How long after its first attempt a card that fails while the verifier takes others is tried (`verification.max_age`).
    package var verifyMaximumAge = Duration.seconds(86_400)
    /// How many attempts of one delivery may fail (`delivery.max_attempts`).
    package var deliverMaximumAttempts = 8
    /// What happens to a delivery that may have been received (`delivery.on_unknown`).
    package var onUnknown = UnknownOutcomePolicy.resend
    /// How long a back waits for its front (`delivery.front_wait`).
    package var frontWait = Duration.seconds(600)
    /// How long a back whose front was not delivered stays `verified` before it is `held` (`delivery.blocked_wait`).
    package var blockedWait = Duration.seconds(86_400)
    /// Backoff between attempts (`retry.base`, `retry.cap`).
    package var retry = RetryPolicy()
    /// How many verifications begin per second; 0 for as many as there are (`verification.rate`).
    package var verifyRate = 0.0
    /// How many deliveries begin per second; 0 for as many as there are (`delivery.rate`).
    package var deliverRate = 0.0
    /// How many retries each endpoint gets per first attempt, over ten seconds (`retry.budget_ratio`).
    package var retryBudgetRatio = 0.2
    /// How many further retries it gets per second (`retry.budget_floor`).
    package var retryBudgetFloor = 5.0
    /// How many failures in a row make an endpoint be left alone; 0 for never (`breaker.failures`).
    package var breakerFailures = 10
    /// How long it is left alone at first, before one call tries it again (`breaker.open_for`).
    package var breakerOpenFor = Duration.seconds(10)
    /// How long at most, doubling with every such call that fails (`breaker.open_cap`).
    package var breakerOpenCap = Duration.seconds(120)
    /// How long a batch goes on without any card moving (`run.patience`).
    package var patience = Duration.seconds(60)
    /// How long requests under way may go on once the engine is asked to end (`run.shutdown_timeout`).
    package var shutdownTimeout = Duration.seconds(20)
    /// How often a stopped stage tries again (`stop.probe_interval`).
    package var probeInterval = Duration.seconds(300)
    /// How many refusals in a row with one code of no list, of different business numbers, stop delivery; 0 for never
    /// (`stop.equal_refusals`).
    package var equalRefusals = 3
    /// How long a lease holds without being renewed; longer than any call (`sandbox.lease`).
    package var leaseDuration = Duration.seconds(180)
    /// The longest that a call may take (`verification.timeout`, `delivery.timeout`).
    package var longestCall = Duration.seconds(60)
    /// The longest wait that a host is believed to ask for.
    package var longestWait = Duration.seconds(6 * 3600)
    /// How often the leases of dead owners are looked for.
    package var takeBackInterval = Duration.seconds(2)
    /// How often an image may bring the decoder down before it is decoded in a child (`imaging.max_crashes`).
    package var maximumCrashes = 3
    /// The largest source file, in bytes (`imaging.max_source_bytes`).
    package var maximumSourceBytes = 32 << 20
    /// How long cards stay after their end (`retention.…`); by default for ever.
    package var retention = Retention()
    /// How long a batch goes on erasing after its cards have ended (`retention.run_time`).
    package var retentionRunTime = Duration.seconds(10)
    /// How long a request is known as one that came before: longer than any sender repeats it (`retention.receipts`).
    package var receiptRetention = Duration.seconds(7 * 86_400)
    /// The rules of the verdict.
    package var verdict = VerdictRules()

    /// Makes settings with the documented defaults.
    package init() {}
}

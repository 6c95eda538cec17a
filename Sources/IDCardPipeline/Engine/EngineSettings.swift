package import IDCardCore

/// The figures the engine works by; each is a configuration key.
package struct EngineSettings: Hashable, Sendable {
    /// How many images are decoded at a time (`imaging.concurrency`).
    package var prepareConcurrency = 2
    /// How many verifications are under way at a time (`verification.concurrency`).
    package var verifyConcurrency = 2
    /// How many deliveries are under way at a time (`delivery.concurrency`).
    package var deliverConcurrency = 4
    /// How many verifications of one card may fail (`verification.max_attempts`).
    package var verifyMaximumAttempts = 5
    /// How many attempts of one delivery may fail (`delivery.max_attempts`).
    package var deliverMaximumAttempts = 8
    /// What happens to a delivery that may have been received (`delivery.on_unknown`).
    package var onUnknown = UnknownOutcomePolicy.resend
    /// How long a back waits for its front (`delivery.front_wait`).
    package var frontWait = Duration.seconds(600)
    /// Backoff between attempts (`retry.base`, `retry.cap`).
    package var retry = RetryPolicy()
    /// How long a batch goes on without any card moving (`run.patience`).
    package var patience = Duration.seconds(60)
    /// How often a stopped stage tries again (`stop.probe_interval`).
    package var probeInterval = Duration.seconds(300)
    /// How long a lease holds without being renewed; longer than any call.
    package var leaseDuration = Duration.seconds(180)
    /// The largest source file, in bytes (`imaging.max_source_bytes`).
    package var maximumSourceBytes = 32 << 20
    /// The rules of the verdict.
    package var verdict = VerdictRules()

    /// Makes settings with the documented defaults.
    package init() {}
}

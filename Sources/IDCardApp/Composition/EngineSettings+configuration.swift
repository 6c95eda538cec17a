import IDCardEmbedded
import IDCardPipeline
import OutboundHTTP

extension EngineSettings {
    /// Takes the figures of the engine from the configuration.
    init(_ configuration: AppConfiguration) {
        self.init()
        self.prepareConcurrency = configuration.imaging.concurrency
        self.verifyConcurrency = configuration.verification.concurrency
        if configuration.embedded {
            // It reads on the processors of this machine: more at a time would only wait there.
            self.verifyConcurrency = min(self.verifyConcurrency, EmbeddedVerifier.Configuration.defaultConcurrency)
        }
        self.deliverConcurrency = configuration.delivery.concurrency
        self.verifyMaximumAttempts = configuration.verification.maximumAttempts
        self.verifyMaximumAge = configuration.verification.maximumAge
        self.deliverMaximumAttempts = configuration.delivery.maximumAttempts
        self.onUnknown =
            switch configuration.delivery.onUnknown {
            case .resend: .resend
            case .hold: .hold
            }
        self.frontWait = configuration.delivery.frontWait
        self.blockedWait = configuration.delivery.blockedWait
        self.retry = configuration.retry
        self.verifyRate = configuration.verification.rate ?? 0
        self.deliverRate = configuration.delivery.rate ?? 0
        self.retryBudgetRatio = configuration.retryBudget.ratio
        self.retryBudgetFloor = configuration.retryBudget.floorPerSecond
        self.breakerFailures = configuration.breaker.failures
        self.breakerOpenFor = configuration.breaker.openFor
        self.breakerOpenCap = configuration.breaker.openCap
        self.patience = configuration.patience
        self.shutdownTimeout = configuration.shutdownTimeout
        self.probeInterval = configuration.probeInterval
        self.equalRefusals = configuration.equalRefusals
        self.maximumSourceBytes = configuration.imaging.maximumSourceBytes
        self.prepareMaximumAttempts = configuration.imaging.maximumAttempts
        self.retention = configuration.retention
        self.retentionRunTime = configuration.retentionRunTime
        self.receiptRetention = configuration.receiptRetention
        self.verdict = configuration.verification.rules
        self.maximumCrashes = configuration.imaging.maximumCrashes
        self.fetchConcurrency = configuration.fetch.concurrency
        self.fetchHostConcurrency = configuration.fetch.hostConcurrency
        self.fetchMaximumAttempts = configuration.fetch.maximumAttempts
        self.fetchMaximumAge = configuration.fetch.maximumAge
        self.maximumQueueDepth = configuration.sandbox.maximumQueueDepth
        self.maximumWaitingDepth = configuration.sandbox.maximumWaitingDepth
        self.leaseDuration = configuration.lease
        self.longestWait = RetryAfter.maximum
        self.longestCall = max(configuration.verification.timeout, configuration.delivery.timeout)
    }
}

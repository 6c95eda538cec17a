import IDCardPipeline

extension EngineSettings {
    /// Takes the figures of the engine from the configuration.
    init(_ configuration: AppConfiguration) {
        self.init()
        self.prepareConcurrency = configuration.imaging.concurrency
        self.verifyConcurrency = configuration.verification.concurrency
        self.deliverConcurrency = configuration.delivery.concurrency
        self.verifyMaximumAttempts = configuration.verification.maximumAttempts
        self.deliverMaximumAttempts = configuration.delivery.maximumAttempts
        self.onUnknown =
            switch configuration.delivery.onUnknown {
            case .resend: .resend
            case .hold: .hold
            }
        self.frontWait = configuration.delivery.frontWait
        self.retry = configuration.retry
        self.patience = configuration.patience
        self.probeInterval = configuration.probeInterval
        self.maximumSourceBytes = configuration.imaging.maximumSourceBytes
        self.verdict = configuration.verification.rules
        // A lease outlives every call it covers: connecting, the call, and a minute for what comes around it.
        let longestCall = max(configuration.verification.timeout, configuration.delivery.timeout)
        self.leaseDuration = max(.seconds(180), longestCall + configuration.http.connectTimeout + .seconds(60))
    }
}

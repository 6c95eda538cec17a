package import Metrics

/// Everything outside the engine that its stages call.
package struct EnginePorts: Sendable {
    /// Recompresses images; called on `pool`.
    package var preparation: ImagePreparation
    /// The verification service.
    package var verifier: CardVerifier
    /// The business backend.
    package var backend: BusinessBackend
    /// What fetches images named by URL; without one, such cards wait.
    package var fetcher: ImageFetcher?
    /// Threads for blocking work.
    package var pool: any BlockingWork
    /// The clock.
    package var time: PipelineTime
    /// Randomness for ids, keys and jitter.
    package var random: RandomSource
    /// Where the figures of the stages go.
    package var metrics: any MetricsFactory

    /// Joins the ports; time and randomness are the machine's own, and figures go nowhere, unless given.
    package init(
        preparation: ImagePreparation,
        verifier: CardVerifier,
        backend: BusinessBackend,
        fetcher: ImageFetcher? = nil,
        pool: any BlockingWork,
        time: PipelineTime = .system,
        random: RandomSource = RandomSource(),
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) {
        self.preparation = preparation
        self.verifier = verifier
        self.backend = backend
        self.fetcher = fetcher
        self.pool = pool
        self.time = time
        self.random = random
        self.metrics = metrics
    }
}

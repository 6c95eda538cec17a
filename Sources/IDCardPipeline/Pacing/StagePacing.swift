import IDCardCore

/// The figures by which a gate paces the calls of its stage.
struct StagePacing: Hashable, Sendable {
    /// How many calls may be under way at most.
    var concurrency = 1
    /// With how many calls at a time to begin.
    var initialConcurrency = 1
    /// Calls per second; 0 for no limit.
    var callsPerSecond = 0.0
    /// Retries per first attempt, over ten seconds.
    var budgetRatio = 0.2
    /// Further retries per second.
    var budgetFloor = 1.0
    /// How many failures in a row open the breaker; 0 for none.
    var breakerFailures = 10
    /// How long the breaker stays open at first.
    var breakerOpenFor = Duration.seconds(10)
    /// How long it stays open at most.
    var breakerOpenCap = Duration.seconds(120)
}

extension StagePacing {
    /// For a stage that calls no endpoint: only the number of pieces at a time is limited.
    static func unpaced(concurrency: Int) -> StagePacing {
        StagePacing(concurrency: concurrency, initialConcurrency: concurrency)
    }
}

extension EngineSettings {
    /// The pace of verification.
    var verifyPacing: StagePacing {
        self.pacing(concurrency: self.verifyConcurrency, callsPerSecond: self.verifyRate)
    }

    /// The pace of delivery.
    var deliverPacing: StagePacing {
        self.pacing(concurrency: self.deliverConcurrency, callsPerSecond: self.deliverRate)
    }

    private func pacing(concurrency: Int, callsPerSecond: Double) -> StagePacing {
        StagePacing(
            concurrency: concurrency,
            callsPerSecond: callsPerSecond,
            budgetRatio: self.retryBudgetRatio,
            budgetFloor: self.retryBudgetFloor,
            breakerFailures: self.breakerFailures,
            breakerOpenFor: self.breakerOpenFor,
            breakerOpenCap: self.breakerOpenCap
        )
    }
}

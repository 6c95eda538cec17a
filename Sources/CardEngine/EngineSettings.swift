package import CardModel
package import CardStore

/// How the engine works; the defaults are those of the configuration.
package struct EngineSettings: Sendable {
    /// How one endpoint is called.
    package struct Pace: Sendable {
        /// The most calls at a time.
        package var concurrency = 32
        /// The most calls per second; `nil` for no bound.
        package var rate: Double?
        /// The most failures of a card that count.
        package var maxAttempts = 8

        package init() {}
    }

    package var verification = Pace()
    /// Calls to the business backend.
    package var delivery = Pace()
    /// How cards are joined, and what becomes of backs without a front.
    package var policy = CasePolicy()
    /// The rules that a reading must pass.
    package var rules = VerdictRules()
    /// What is done about a delivery that may have been applied.
    package var onUnknown = UnknownPolicy.resend
    /// Whether the configuration names a user account for cards that name none, or the form needs none.
    package var hasDefaultUserNumber = true
    /// The most cards of a delivery in the layout `batch`.
    package var batchMaxCards = 20
    /// The most bytes of the images of a delivery in the layout `batch`.
    package var batchMaxBytes = 20_000_000
    /// How long a delivery in the layout `batch` gathers cards.
    package var batchWait = Duration.seconds(2)
    /// How failed calls are repeated.
    package var retry = RetryPolicy()
    /// The longest pause of an endpoint that stopped.
    package var probeInterval = Duration.seconds(300)
    /// How long a batch waits for cards that are to be repeated later.
    package var patience = Duration.seconds(60)
    /// How long calls under way may take once the end is asked for.
    package var shutdownTimeout = Duration.seconds(20)
    /// Intake stops while fewer bytes are free on the disk of the sandbox.
    package var intakeFreeSpace: Int64 = 256 << 20
    /// How long a card that arrives singly waits for the other side of its card.
    package var frontWait = Duration.seconds(600)
    /// How long cards are kept that have ended.
    package var retention = RetentionTerms()
    /// Photos that are prepared at a time.
    package var preparing = 2

    package init() {}
}

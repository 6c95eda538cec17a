package import CardModel
package import CardStore

/// The settings of the engine; the defaults are those of the configuration.
package struct EngineSettings: Sendable {
    /// The limits of the calls to one endpoint.
    package struct Pace: Sendable {
        /// The maximum number of calls at a time.
        package var concurrency = 32
        /// The maximum number of calls per second; `nil` for no limit.
        package var rate: Double?
        /// The number of counted failures after which a card is not tried again.
        package var maxAttempts = 8

        package init() {}
    }

    package var verification = Pace()
    package var delivery = Pace()
    /// How cards are joined, and how backs without a front are treated.
    package var policy = CasePolicy()
    /// The rules that a reading must pass.
    package var rules = VerdictRules()
    /// What to do about a delivery that the backend may have applied.
    package var onUnknown = UnknownPolicy.resend
    /// Whether cards may lack a user account: the configuration names a default, or the form needs none.
    package var hasDefaultUserNumber = true
    /// The maximum number of cards of a delivery in the layout `batch`.
    package var batchMaxCards = 20
    /// The maximum bytes of all images of a delivery in the layout `batch`.
    package var batchMaxBytes = 20_000_000
    /// How long a delivery in the layout `batch` gathers cards.
    package var batchWait = Duration.seconds(2)
    /// The delays between failed calls.
    package var retry = RetryPolicy()
    /// The longest pause of an endpoint that stopped.
    package var probeInterval = Duration.seconds(300)
    /// How long a batch waits without progress for cards that are due later.
    package var patience = Duration.seconds(60)
    /// How long current calls may take after the engine is asked to end.
    package var shutdownTimeout = Duration.seconds(20)
    /// Intake stops while fewer bytes are free on the disk of the sandbox.
    package var intakeFreeSpace: Int64 = 256 << 20
    /// How long a single photo waits for the other side of its card.
    package var frontWait = Duration.seconds(600)
    /// How long finished cards are stored.
    package var retention = RetentionTerms()
    /// The number of photos that are prepared at a time.
    package var preparing = 2

    package init() {}
}

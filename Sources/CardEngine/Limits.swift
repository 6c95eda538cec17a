/// Fixed limits, each with its reason.
enum Limits {
    /// How often an idle stage looks for work that other processes left.
    static let pollInterval = Duration.seconds(1)
    /// How often a batch whose patience is over checks whether its last calls have finished.
    static let lastCallsInterval = Duration.milliseconds(50)
    /// How long a stage with due work is idle before this is reported.
    static let standstill = Duration.seconds(600)
    /// How often a process looks for decisions of people that can no longer be undone.
    static let decisionInterval = Duration.seconds(2)
    /// How often a process looks for cards past their retention.
    static let retentionPause = Duration.seconds(600)
    /// While cards are overdue, a pause lasts this many times as long as the erasing before it, which thus takes a tenth of
    /// the time.
    static let retentionShare = 9
    /// How often a worker adds events to the metrics.
    static let tallyPause = Duration.seconds(10)
    /// The first pause of an endpoint; it doubles each time.
    static let firstPause = Duration.seconds(1)
    /// The longest pause, except after a stop, for example for wrong credentials.
    static let longestPause = Duration.seconds(60)
    /// The wait for the first probe after an answer that cannot be understood; it doubles up to the longest.
    static let firstUnreadablePause = Duration.seconds(300)
    static let longestUnreadablePause = Duration.seconds(86_400)
    /// Consecutive failures after which an endpoint pauses.
    static let failuresInRow = 10
    /// Consecutive failures after which the endpoint is reported as failing: fewer may be due to single cards.
    static let failuresShown = 3
    /// Different numbers in a row whose delivery was refused with an unlisted code or a status about the address; then the
    /// stage pauses, since the endpoint is the likely cause.
    static let suspectsInRow = 3
    /// While the backend fails: the maximum number of open deliveries that have not failed often; beyond it, only probes are formed.
    static let undecidedWhileFailing = 4
    /// Consecutive stops after which a batch no longer waits for the endpoint: one stop may be due to a single card.
    static let stopsInRow = 3
    /// The number of concurrent calls to an endpoint at first.
    static let firstLevel = 4
    /// After a throttle, how long to stay at a level of calls before trying a higher one; doubles up to `longestTryDelay`.
    static let firstTryDelay = Duration.seconds(30)
    static let longestTryDelay = Duration.seconds(600)
    /// Numbers whose photos are read ahead while others are decoded.
    static let numbersAhead = 2
    /// Concurrent fetches from all hosts, which bounds their memory, and from one host.
    static let fetches = 16
    static let fetchesPerHost = 8
    /// The number of hosts whose gates are remembered.
    static let rememberedHosts = 256
    /// How long the image of a request waits for a free slot of preparation.
    static let uploadWait = Duration.seconds(15)
    /// Files that are looked up at a time.
    static let lookupSize = 256
}

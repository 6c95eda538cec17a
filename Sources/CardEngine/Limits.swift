/// Fixed limits, each with its reason.
enum Limits {
    /// How often a stage looks for changes of other processes, if nothing happens in this one.
    static let pollInterval = Duration.seconds(1)
    /// How often a batch whose patience is over checks whether its last calls have finished.
    static let lastCallsInterval = Duration.milliseconds(50)
    /// How long a stage with due work is idle before this is reported.
    static let standstill = Duration.seconds(600)
    /// How often a process looks for decisions of people that can no longer be undone.
    static let decisionInterval = Duration.seconds(2)
    /// How often a process looks for cards past their retention.
    static let retentionPause = Duration.seconds(600)
    /// While cards are overdue, erasing pauses this many times as long as it took: it uses a tenth of the time.
    static let retentionShare = 9
    /// How often a worker adds events to the metrics.
    static let tallyPause = Duration.seconds(10)
    /// The first pause of an endpoint; it doubles each time.
    static let firstPause = Duration.seconds(1)
    /// The longest pause, except after a stop, for example for wrong credentials.
    static let longestPause = Duration.seconds(60)
    /// How long the first probe waits after an answer that cannot be understood; the wait doubles up to the longest.
    static let firstUnreadablePause = Duration.seconds(300)
    static let longestUnreadablePause = Duration.seconds(86_400)
    /// Consecutive failures after which an endpoint pauses.
    static let failuresInRow = 10
    /// Consecutive failures after which the failing is reported: fewer may concern single cards.
    static let failuresShown = 3
    /// Refusals of different numbers in a row, unlisted or with a status about the address, after which the stage pauses.
    static let suspectsInRow = 3
    /// The most deliveries with an unknown outcome while the backend fails: beyond it, only probes are formed.
    static let undecidedWhileFailing = 4
    /// Consecutive stops, each by another card, after which a batch gives the endpoint up: a single card may cause one.
    static let stopsInRow = 3
    /// The number of concurrent calls to an endpoint at first.
    static let firstLevel = 4
    /// How long to stay at a level that held before trying a higher one; doubles up to `lastTry`.
    static let firstTry = Duration.seconds(30)
    static let lastTry = Duration.seconds(600)
    /// Photos that are read ahead while others are decoded.
    static let photosAhead = 2
    /// Concurrent fetches, from all hosts and from one; the first bounds their memory.
    static let fetches = 16
    static let fetchesPerHost = 8
    /// The number of hosts whose gates are remembered.
    static let rememberedHosts = 256
    /// How long the image of a request waits for its preparation.
    static let uploadWait = Duration.seconds(15)
    /// Files that are looked up at a time.
    static let lookupSize = 256
}

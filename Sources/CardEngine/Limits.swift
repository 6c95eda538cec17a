/// What nobody has a reason to set.
enum Limits {
    /// How often a stage looks for what other processes did, if nothing happens here.
    static let look = Duration.seconds(1)
    /// How often a batch whose patience is over looks whether its last calls have ended.
    static let shortLook = Duration.milliseconds(50)
    /// For how long a stage that has work due does nothing before people are told.
    static let standstill = Duration.seconds(600)
    /// How often a process looks for decisions of pages whose time to undo is over.
    static let decisionLook = Duration.seconds(2)
    /// How often a process that goes on looks for cards whose retention is over.
    static let retentionPause = Duration.seconds(600)
    /// While more is past its retention, erasing rests for so many times as long as it has taken: a tenth of the time is its own.
    static let retentionShare = 9
    /// How often a worker adds what happened to the figures over time.
    static let tallyPause = Duration.seconds(10)
    /// The first pause of an endpoint; each further one doubles.
    static let firstPause = Duration.seconds(1)
    /// The longest pause that is not about credentials or the like.
    static let longestPause = Duration.seconds(60)
    /// How long the first probe of an endpoint waits whose answers cannot be understood; each further wait doubles up to the
    /// last.
    static let firstUnreadablePause = Duration.seconds(300)
    static let longestUnreadablePause = Duration.seconds(86_400)
    /// Failures in a row after which an endpoint pauses.
    static let failuresInRow = 10
    /// Failures in a row after which people are told: fewer are a matter of single cards.
    static let failuresShown = 3
    /// Refusals in a row by codes that no list names, or under a status about the address, for different numbers, after which
    /// the stage pauses.
    static let suspectsInRow = 3
    /// Deliveries of which it is not known what becomes of them, while the backend fails: more are formed as probes only.
    static let undecidedWhileFailing = 4
    /// Stops in a row, each met by a probe of another card, after which a batch takes an endpoint for stopped: one card may
    /// cause one.
    static let stopsInRow = 3
    /// Calls at a time that an endpoint gets at first.
    static let firstLevel = 4
    /// How long the level that held is kept before a higher one is tried; each further wait doubles up to the last.
    static let firstTry = Duration.seconds(30)
    static let lastTry = Duration.seconds(600)
    /// Photos that are read and prepared at a time beyond the cores: one is read while others are decoded.
    static let photosAhead = 2
    /// Images that are fetched at a time, from all hosts and from one; the first bounds what they hold in memory.
    static let fetches = 16
    static let fetchesPerHost = 8
    /// Hosts whose pace is remembered.
    static let rememberedHosts = 256
    /// How long the image of a request waits for a place to be prepared.
    static let uploadWait = Duration.seconds(15)
    /// How often preparing may fail for time or memory before the card fails.
    static let preparingTries = 5
    /// Files that are looked up at a time.
    static let lookupSize = 256
}

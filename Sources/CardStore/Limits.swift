import CardModel

/// Fixed limits, each with its reason.
package enum Limits {
    /// After how long a delivery with an unreadable answer is due again; a probe of its stage goes first.
    static let unreadableLook: Duration = .seconds(300)
    /// The most events that one listing of changes reads; a client with few cards among them asks again.
    static let eventsLookedAt = 5_000
    /// Events that one transaction adds to the throughput: others wait for some tens of milliseconds.
    package static let eventsPerFold = 20_000
    /// Minutes for which the throughput is stored: a week, and a day to look back at it.
    static let minutesTallied: Int64 = 8 * 1_440
    /// The most photos that one number may have in one list: more come from a wrong folder level.
    package static let photosPerNumber = 64
    /// How long another process may hold the database before a change fails, in seconds; a commit takes milliseconds.
    static let busyTimeout = 60.0
    /// The busy timeout of a connection to a database file outside the pool, in seconds.
    static let fileTimeout = 5.0
    /// Connections for reading: the engine's stages and a server run one query at a time each.
    static let readers = 4
    /// The most changes and bytes of one group: it is acknowledged as a whole, so each change waits for the others.
    static let changesPerCommit = 64
    static let bytesPerCommit = 16 << 20
    /// The least time between the starts of two groups while several tasks write, in microseconds: larger groups write fewer
    /// pages.
    static let commitPace: UInt64 = 5_000
    /// The size of the cache of prepared images, in bytes; a single larger image may exceed it.
    static let preparedImagesSize = 8 << 20
    /// After how long without a heartbeat `status` calls a worker hanging, in milliseconds.
    package static let hangingAfter: Int64 = 120_000
    /// The most cards in progress at a time; further photos wait outside.
    package static let queueDepth = 10_000
    /// The most images of one submitter that await fetching at a time.
    package static let fetchingShare = 2_500
    /// The most photos of one remote submitter that are in progress, or held under numbers of others, at a time.
    package static let queueShare = 5_000
    /// Photos of a business number in progress at a time: retakes of two sides.
    package static let openPhotosPerNumber = 100
    /// Source bytes that are sealed as one value: a fetched image becomes durable piece by piece.
    static let pieceSize = 1 << 20
    /// After how long a time of failed attempts an image is given up, in milliseconds.
    static let longestFetch: Int64 = 24 * 3_600_000
    /// How far the clocks of two processes may differ while both count as right.
    static let smallStep = Duration.seconds(120)
    /// How long after its message an image may still be missing.
    static let imagePatience = Duration.seconds(600)
    /// How long a fetch waits for room on our own disk.
    static let fetchSpaceWait = Duration.seconds(60)
    /// How often the work on an image may exceed our time or memory before the card fails.
    static let ownTries = 5
    /// How long an image must be overdue, in milliseconds, to count as not attempted meanwhile.
    static let fetchGap: Int64 = 3_600_000
    /// The most lines of one answer; more are requested page by page.
    package static let pageSize = 1_000
    /// The most cards that a broken rule names: the first ones show what is wrong.
    static let findingsPerRule = 100
    /// Cards that are erased by one commit: each rewrites as many bytes as it frees, others wait, and on a full disk there is the
    /// reserve alone.
    static let cardsPerErasure = 8
    /// Cards that one transaction dates anew after a wrong clock.
    static let cardsPerDating = 1_000
    /// Waits that end in one transaction.
    static let cardsPerWake = 1_000
    /// Cards that one call of retention erases: minutes of work would block the engine.
    package static let cardsPerRetention = 500
    /// Free pages that an erasure gives back to the disk at a time, 1.6 MiB, and how often; the next erasure continues.
    static let pagesGivenBack = 200
    static let portionsGivenBack = 10
    /// How far a clock may be from the last right time and still count as right at once.
    static let largestClockStep = Duration.seconds(7 * 86_400)
    /// For how long a clock further away must run steadily until it counts as right.
    static let steadyClock = Duration.seconds(20 * 3_600)
    /// The longest time between two checks of a steady clock: a monthly run checks that seldom.
    static let longestClockGap = Duration.seconds(32 * 86_400)
    /// How far a steady clock may be set back between two checks.
    static let smallestClockStep = Duration.seconds(60)
    /// 2020: a clock with an earlier time is wrong. Clocks without a battery begin in 1970, 2000 or at the build of the system.
    static let earliestTime = Timestamp(millisecondsSinceEpoch: 1_577_836_800_000)
    /// The size of the reserve for a full disk, in bytes: erasing a card writes as much as it frees, which may be its source
    /// bytes.
    static let reserveSize: Int64 = 32 << 20
    /// With less free space verification stops, too: images in progress and the log of the database need it.
    static let workFreeSpace: Int64 = 64 << 20
    /// Business numbers that one transaction examines for cards to deliver.
    static let numbersPerLook = 256
    /// After how many failures a delivery no longer prevents others from being formed while the backend fails.
    static let triesOfUndecided = 3
    /// Finished runs on demand that are still reported.
    static let runsKept = 100
    /// For how long a browser tab holds the cases that it claimed, and a decision in it can be undone.
    static let claimTime = Duration.seconds(600)
    static let undoTime = Duration.seconds(10)
    /// How late a decision of a living process must be before another process carries it out.
    static let undoGrace = Duration.seconds(60)
    /// The most cases that one person may have claimed at a time.
    static let tabs = 3
    /// After how long one person alone may remove an action from the four-eyes list.
    static let dropAlone = Duration.seconds(7 * 86_400)
    /// Decisions of pages that one call carries out.
    static let decisionsPerCall = 50
    /// Cases, or certificates, that are checked or mended together.
    static let rowsPerCheck = 1_000
    /// Cards that are checked on one snapshot, so that a check of hours does not hold old pages in the log.
    static let cardsPerCheck = 100
}

import CardModel

/// Fixed limits, each with its reason.
package enum Limits {
    /// How often a delivery with an unreadable answer is looked at again; usually a probe of its stage comes first.
    static let unreadableLook: Duration = .seconds(300)
    /// The maximum number of events that one listing of changes reads; a client whose cards are few among them asks again.
    static let eventsLookedAt = 5_000
    /// Events that one transaction adds to the throughput: other changes wait for it some tens of milliseconds.
    package static let eventsPerFold = 20_000
    /// Minutes for which the throughput is stored: a week, and one more day.
    static let minutesTallied: Int64 = 8 * 1_440
    /// The maximum number of photos of one business number in a list: if there are more, the list was made of the wrong folder
    /// level.
    package static let photosPerNumber = 64
    /// How long another process may hold the database before a change fails, in seconds; a commit takes milliseconds.
    static let busyTimeout = 60.0
    /// The busy timeout of a connection to a database file outside the pool, in seconds.
    static let fileTimeout = 5.0
    /// Connections for reading, which the engine's stages and a server share; each runs one query at a time.
    static let readers = 4
    /// The maximum changes and bytes of one group: each change of a group waits for the commit of all.
    static let changesPerCommit = 64
    static let bytesPerCommit = 16 << 20
    /// The minimum time between the starts of two groups while several tasks write, in microseconds: fewer, larger groups write
    /// fewer pages.
    static let commitPace: UInt64 = 5_000
    /// The size of the cache of prepared images, in bytes; one image that is larger is still cached.
    static let preparedImagesSize = 8 << 20
    /// The time without a heartbeat after which a worker counts as hanging, in milliseconds.
    package static let hangingAfter: Int64 = 120_000
    /// The maximum number of cards in progress; further photos are not admitted yet.
    package static let queueDepth = 10_000
    /// The maximum number of images of one submitter that wait to be fetched.
    package static let fetchingShare = 2_500
    /// The maximum number of photos of one remote submitter that are in progress, or held under numbers of other submitters.
    package static let queueShare = 5_000
    /// The maximum number of photos of a business number in progress: enough for retakes of two sides.
    package static let openPhotosPerNumber = 100
    /// Source bytes that are sealed as one value: a fetched image becomes durable piece by piece.
    static let pieceSize = 1 << 20
    /// How long the attempts to fetch an image may fail before its card fails, in milliseconds.
    static let longestFetch: Int64 = 24 * 3_600_000
    /// How far the clocks of two processes may differ while both count as right.
    static let smallStep = Duration.seconds(120)
    /// How long after the message that names it an image may still be missing.
    static let imagePatience = Duration.seconds(600)
    /// How long a fetch waits for room on our own disk.
    static let fetchSpaceWait = Duration.seconds(60)
    /// How often our own time or memory may not suffice for an image before the card fails.
    static let ownTries = 5
    /// If a fetch is overdue by this many milliseconds, no process was at work, and the time counts as no attempt.
    static let fetchGap: Int64 = 3_600_000
    /// The maximum number of lines of one answer; further ones are requested page by page.
    package static let pageSize = 1_000
    /// The maximum number of cards that are reported for a broken rule: the first ones show what is wrong.
    static let findingsPerRule = 100
    /// Cards that one commit erases. Few, because other changes wait meanwhile, and because erasing first writes as many bytes as
    /// it frees: on a full disk these must fit into the reserve.
    static let cardsPerErasure = 8
    /// Cards whose dates one transaction corrects after a wrong clock.
    static let cardsPerDating = 1_000
    /// Waits that end in one transaction.
    static let cardsPerWake = 1_000
    /// Cards that one call of retention erases: with more, the engine could not stop for minutes.
    package static let cardsPerRetention = 500
    /// Free pages that an erasure gives back to the disk at a time (1.6 MiB), and how many times; the next erasure continues.
    static let pagesGivenBack = 200
    static let portionsGivenBack = 10
    /// How far a clock may be from the last right time and still count as right at once.
    static let largestClockStep = Duration.seconds(7 * 86_400)
    /// How long a clock that differs by more than ``largestClockStep`` must run steadily before it counts as right.
    static let steadyClock = Duration.seconds(20 * 3_600)
    /// The longest time between two checks of a steady clock: enough for a run once a month.
    static let longestClockGap = Duration.seconds(32 * 86_400)
    /// How far a steady clock may be set back between two checks.
    static let smallestClockStep = Duration.seconds(60)
    /// The start of 2020. A clock with an earlier time is wrong: clocks without a battery start in 1970, 2000 or at the date of
    /// the system's build.
    static let earliestTime = Timestamp(millisecondsSinceEpoch: 1_577_836_800_000)
    /// The size of the reserve for a full disk, in bytes: erasing a card writes as much as it frees, source bytes included.
    static let reserveSize: Int64 = 32 << 20
    /// The free space below which verification stops, too: images in progress and the log of the database need the rest.
    static let workFreeSpace: Int64 = 64 << 20
    /// Business numbers that one transaction examines for cards to deliver.
    static let numbersPerLook = 256
    /// After how many failures a delivery no longer prevents others from being formed while the backend fails.
    static let triesOfUndecided = 3
    /// Finished runs on demand that are still reported.
    static let runsKept = 100
    /// How long a person has a claimed case.
    static let claimTime = Duration.seconds(600)
    /// How long a decision made in a browser can be undone.
    static let undoTime = Duration.seconds(10)
    /// How late a decision of a living process must be before another process carries it out.
    static let undoGrace = Duration.seconds(60)
    /// The maximum number of cases that one person may have claimed, such as in several tabs of a browser.
    static let tabs = 3
    /// How long after the request for it one person alone may remove an action from the four-eyes list.
    static let dropAlone = Duration.seconds(7 * 86_400)
    /// Decisions made in a browser that one call carries out.
    static let decisionsPerCall = 50
    /// Cases, or lines of the list of erasures, that are checked or repaired together.
    static let rowsPerCheck = 1_000
    /// Cards that are checked on one snapshot, so that a check of hours does not keep the log of the database from being emptied.
    static let cardsPerCheck = 100
}

import CardModel

/// What nobody has a reason to set.
package enum Limits {
    /// When a delivery whose answer could not be understood is due by itself: a probe of its stage goes before.
    static let unreadableLook: Duration = .seconds(300)
    /// Events that one look at the changes reads at most: a client whose cards are few asks again.
    static let eventsLookedAt = 5_000
    /// Events that one change adds to the figures over time: others wait for some tens of milliseconds.
    package static let eventsPerFold = 20_000
    /// Figures are kept for so many minutes: a week, and a day for who looks back at it.
    static let minutesTallied: Int64 = 8 * 1_440
    /// The most photos that one number may have in one list: more come from a wrong folder level.
    package static let photosPerNumber = 64
    /// How long another process may hold the database before a change fails, in seconds; a commit takes milliseconds.
    static let busyTimeout = 60.0
    /// How long whole files of databases are waited for, in seconds.
    static let fileTimeout = 5.0
    /// Connections for reading: the engine's stages and a server ask one thing at a time each.
    static let readers = 4
    /// A group is acknowledged as a whole, so no change waits for more than so many others, or so many bytes.
    static let changesPerCommit = 64
    static let bytesPerCommit = 16 << 20
    /// How far apart groups begin where several change the sandbox at a time, in microseconds: fewer and larger groups write
    /// fewer pages.
    static let commitPace: UInt64 = 5_000
    /// Images that stages hand over to the next in memory, in bytes, beside one that is larger.
    static let preparedImagesSize = 8 << 20
    /// A worker that has not written its heartbeat for so long is called hanging by `status`, in milliseconds.
    package static let hangingAfter: Int64 = 120_000
    /// The most cards that are under way at a time; more wait outside.
    package static let queueDepth = 10_000
    /// The most images of one submitter that are to be fetched at a time.
    package static let fetchingShare = 2_500
    /// Photos of a submitter other than lists that are under way, or held under others' numbers, at a time.
    package static let queueShare = 5_000
    /// Photos of a business number in progress at a time: retakes of two sides.
    package static let openPhotosPerNumber = 100
    /// Source bytes that are sealed as one value: what has come of a fetched image is durable piece by piece.
    static let pieceSize = 1 << 20
    /// An image is given up after so long a time of failed attempts, in milliseconds.
    static let longestFetch: Int64 = 24 * 3_600_000
    /// By how much times of processes may differ without a clock that was wrong.
    static let smallStep = Duration.seconds(120)
    /// How long an image that a message names may not be there yet.
    static let imagePatience = Duration.seconds(600)
    /// An image that was due for so long, in milliseconds, was attempted by nobody meanwhile.
    static let fetchGap: Int64 = 3_600_000
    /// The most lines of one answer; more are asked for page by page.
    package static let pageSize = 1_000
    /// A broken rule names so many cards; where there are more, the first of them show what is wrong.
    static let findingsPerRule = 100
    /// Cards that are erased by one commit: each rewrites as many bytes as it frees, others wait, and on a full disk there is the
    /// reserve alone.
    static let cardsPerErasure = 8
    /// Cards that count from another time, in one transaction.
    static let cardsPerDating = 1_000
    /// Waits that end in one transaction.
    static let cardsPerWake = 1_000
    /// Cards that one call of retention erases: minutes of work would keep the engine from anything else.
    package static let cardsPerRetention = 500
    /// Free pages that an erasure gives back to the disk at a time, 1.6 MiB, and how often; the next erasure goes on.
    static let pagesGivenBack = 200
    static let portionsGivenBack = 10
    /// How far from the last time that was right a clock may be and count as right at once.
    static let largestClockStep = Duration.seconds(7 * 86_400)
    /// For how long a clock further away must run steadily until it counts as right.
    static let steadyClock = Duration.seconds(20 * 3_600)
    /// How far apart two looks at a steady clock may lie: a monthly run looks as seldom.
    static let longestClockGap = Duration.seconds(32 * 86_400)
    /// How far a steady clock may be set back between two looks.
    static let smallestClockStep = Duration.seconds(60)
    /// 2020: no clock that says less is right. Clocks without a battery begin in 1970, 2000 or at the build of the system.
    static let earliestTime = Timestamp(millisecondsSinceEpoch: 1_577_836_800_000)
    /// What the sandbox keeps in reserve for a full disk, in bytes: erasing a card writes as much as it frees, which may be its
    /// source bytes.
    static let reserveSize: Int64 = 32 << 20
    /// With less free space nothing is verified either: images under way, and the log of what is being written.
    static let workFreeSpace: Int64 = 64 << 20
    /// Business numbers that are looked at together for those of which something may go.
    static let numbersPerLook = 256
    /// A delivery that failed so often does not keep others from being formed while the backend fails.
    static let triesOfUndecided = 3
    /// Runs on demand that have ended and are still told of.
    static let runsKept = 100
    /// For how long a tab of a page keeps the cards that it claimed, and a decision of it can be undone.
    static let claimTime = Duration.seconds(600)
    static let undoTime = Duration.seconds(10)
    /// How late a decision of a living process is carried out by another one.
    static let undoGrace = Duration.seconds(60)
    /// The cases that one person has claimed at a time.
    static let tabs = 3
    /// After how long one person alone may take an action off the list of those for two.
    static let dropAlone = Duration.seconds(7 * 86_400)
    /// Decisions of pages that one call carries out.
    static let decisionsPerCall = 50
    /// Cases, or certificates, that are checked or mended together.
    static let rowsPerCheck = 1_000
    /// Cards that are checked on one snapshot, so that a check of hours keeps no old pages in the log.
    static let cardsPerCheck = 100
}

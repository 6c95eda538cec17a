/// What nobody has a reason to set.
enum Limits {
    /// Bytes of a request's head, and header fields in it: ten times what clients send.
    static let headBytes = 16_384
    static let headerFields = 100
    static let targetBytes = 4_096

    /// Bytes of all bodies in memory at a time: eight of the largest images. The sandbox seals each image once more.
    static let bodyMemory = 256 << 20
    /// How long a body waits for room in memory.
    static let roomWait = Duration.seconds(15)
    /// Bytes of a body that are kept for it before they come, a pair of photos: more are for those that really send them.
    static let lentBodyBytes = 8 << 20
    /// Bytes of each body that do not count, so that small requests find room beside large ones. 512 connections hold
    /// 32 MiB of them at most.
    static let freeBodyBytes = 64 << 10
    /// Bytes of a form beside its image, parts, header lines of a part, and bytes of a text.
    static let formOverheadBytes = 65_536
    static let formParts = 20
    static let partHeaderBytes = 8_192
    static let textBytes = 2_048
    /// Bytes of a body in JSON that carries no image.
    static let jsonBytes = 16_384

    /// Characters of an idempotency key and of a `webhook-id`.
    static let keyCharacters = 255
    static let webhookIDBytes = 256
    /// How far the time of a webhook may lie behind or ahead (Standard Webhooks advises five minutes).
    static let webhookSkew = Duration.seconds(300)
    /// Signatures of a webhook that are looked at.
    static let webhookSignatures = 32
    /// Characters of the purpose in the access log.
    static let purposeCharacters = 200
    /// How often a subject may see what is personal: more than a person decides in an hour.
    static let reveals = RatePolicy(quota: 400, window: .seconds(3_600))
    /// Callers and addresses that are told apart at a time by a rate limit.
    static let rateNames = 10_000
    /// Combinations of labels of one metric; what comes beyond them counts as `other`.
    static let metricSeries = 500
    /// Cards of a page, and if nothing is said.
    static let pageSize = 1_000
    static let defaultPageSize = 100
    /// How long a page shows what is personal.
    static let revealedSeconds = 60
    /// Rows of a list on a page.
    static let consoleRows = 50
    /// How long an answer of `/readyz`, which everybody may ask, is given again.
    static let readinessTime = Duration.seconds(1)
    /// How long a page waits for what may take minutes, and after how many seconds it asks again.
    static let pagePatience = Duration.milliseconds(100)
    static let pageRefresh = 2
    /// For how many times as long as it took to count the cards these figures are told again.
    static let figuresPause = 20
}

/// What one connection may take of time and memory; tests shorten it.
struct ConnectionLimits: Hashable, Sendable {
    /// Connections that are served at a time; each costs a descriptor and some buffers.
    var connections = 512
    /// Connections beyond them that are told so at a time; any more end without a word.
    var refusedConnections = 128
    /// How long a head may take from its first byte, or from the opening of the connection.
    var headTime = Duration.seconds(10)
    /// How long a connection may wait for its next request.
    var idleTime = Duration.seconds(75)
    /// How long a body may stand still while it is waited for.
    var bodyStandstill = Duration.seconds(15)
    /// How long a body may take before its pace counts.
    var bodyGrace = Duration.seconds(10)
    /// The bytes per second that a body must come with on average: a slow mobile connection has ten times as many.
    var bodyBytesPerSecond = 2_048
    /// Bytes of all bodies in memory at a time that nobody has signed yet: the largest one has room in any case.
    var unsignedMemory = 64 << 20
    /// The bytes per second that the total time of such a body is reckoned with, beside the grace: on a line of 256 kB/s
    /// the largest one comes through. A pace would not do: bytes that came fast earn time in which the rest only drips.
    var unsignedBytesPerSecond = 200_000
    /// How long a client may take to read an answer.
    var writeTime = Duration.seconds(30)
    /// How long a refused client may go on sending, so that it can read the refusal.
    var lingerTime = Duration.seconds(2)

    /// How long a body of so many bytes may take in all while nobody has signed it.
    func unsignedTime(of bytes: Int) -> Duration { self.bodyGrace + .seconds(bytes) / self.unsignedBytesPerSecond }
}

/// Fixed limits, each with its reason.
enum Limits {
    /// Bytes of a request's head, and header fields in it: ten times what clients send.
    static let headBytes = 16_384
    static let headerFields = 100
    static let targetBytes = 4_096

    /// Bytes of all bodies in memory at a time: eight of the largest images. The sandbox seals each image once more.
    static let bodyMemory = 256 << 20
    /// How long a body waits until there is memory for its bytes.
    static let roomWait = Duration.seconds(15)
    /// Bytes of a body that are reserved before they arrive, a pair of photos: more are reserved as they arrive.
    static let lentBodyBytes = 8 << 20
    /// Bytes of each body that do not count, so that small requests are read beside large ones. 512 connections hold
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
    /// Signatures of a webhook that are compared.
    static let webhookSignatures = 32
    /// Characters of the purpose in the access log.
    static let purposeCharacters = 200
    /// How often a subject may see personal values: more than a person decides in an hour.
    static let reveals = RatePolicy(quota: 400, window: .seconds(3_600))
    /// Callers and addresses that a rate limit distinguishes at a time.
    static let rateNames = 10_000
    /// Combinations of labels of one metric; further ones count as `other`.
    static let metricSeries = 500
    /// Cards of a page: the most, and the default.
    static let pageSize = 1_000
    static let defaultPageSize = 100
    /// How long a page shows personal values.
    static let revealedSeconds = 60
    /// Rows of a list on a page.
    static let consoleRows = 50
    /// How long an answer of `/readyz`, which any client may ask for, is repeated.
    static let readinessTime = Duration.seconds(1)
    /// How long a page waits for a value that may take minutes, and after how many seconds it asks again.
    static let pagePatience = Duration.milliseconds(100)
    static let pageRefresh = 2
    /// How long counts of cards are repeated, as a multiple of the time that counting took.
    static let countsCacheFactor = 20
}

/// Limits of time and memory for one connection; tests shorten them.
struct ConnectionLimits: Hashable, Sendable {
    /// Connections that are served at a time; each costs a descriptor and some buffers.
    var connections = 512
    /// Surplus connections that get a 503 at a time; further ones are closed at once.
    var refusedConnections = 128
    /// How long a head may take from its first byte, or from the opening of the connection.
    var headTime = Duration.seconds(10)
    /// How long a connection may wait for its next request.
    var idleTime = Duration.seconds(75)
    /// How long the next bytes of a body may take while the server waits for them.
    var bodyStandstill = Duration.seconds(15)
    /// How long a body may take before its pace counts.
    var bodyGrace = Duration.seconds(10)
    /// The least average pace of a body in bytes per second: a slow mobile connection has ten times as many.
    var bodyBytesPerSecond = 2_048
    /// Bytes of all bodies in memory whose signatures are not checked yet: the largest one always fits.
    var unsignedMemory = 64 << 20
    /// The pace from which the total time of a body with an unchecked signature is computed, beside the grace: on a line of
    /// 256 kB/s the largest one arrives in time. A least average is not enough: fast bytes would earn time for slow ones.
    var unsignedBytesPerSecond = 200_000
    /// How long a client may take to read an answer.
    var writeTime = Duration.seconds(30)
    /// How long a refused client may continue to send, so that it can read the refusal.
    var lingerTime = Duration.seconds(2)

    /// How long a body of this size may take in all while its signature is not checked.
    func unsignedTime(of bytes: Int) -> Duration { self.bodyGrace + .seconds(bytes) / self.unsignedBytesPerSecond }
}

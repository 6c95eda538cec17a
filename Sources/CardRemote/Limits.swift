/// The constants of this module and their reasons.
enum Limits {
    /// How long a connection may take to open, including a proxy's tunnel and TLS, and how long a request waits for a free one.
    static let connectTimeout: Duration = .seconds(10)
    /// How long an idle connection stays open: less than the five seconds of common servers.
    ///
    /// Otherwise a request could be sent on a connection that the server is closing.
    static let poolIdleTime: Duration = .seconds(4)
    /// The longest reply body, inflated, in bytes: a batch reply has some 10 KiB.
    static let replyBytes = 1_048_576
    /// The longest text, in bytes, that counts as an answer of the service itself, not as a page of a gateway.
    static let shortText = 4096
    /// How long to wait for the body of an early refusal: the server may have closed already, or may never close.
    static let earlyRefusalGrace: Duration = .seconds(1)
    /// The longest `Retry-After` that is obeyed at a time; after it, one call finds out whether the remote still refuses.
    static let retryAfter: Duration = .seconds(3600)
    /// The bytes read and handed to a connection at a time.
    static let chunkBytes = 65_536
    /// How deep the elements of an XML document may be nested.
    static let xmlDepth = 16
    /// The longest name of a processing instruction in a reply.
    static let xmlNameBytes = 64
    /// The lifetime in seconds of a signature: long enough for clocks that differ by minutes.
    static let signatureLifetime: Int64 = 300
    /// The longest RETCODE that is shown, in characters.
    static let retcodeLength = 16
    /// How many digits of a RETCODE may be shown: identity numbers of the first generation have 15.
    static let retcodeDigits = 14
    /// How many scalars of a remote's text are read, and how many are shown.
    static let foreignText = (read: 8192, shown: 200)

    // MARK: Images by URL

    /// The longest URL in bytes, of redirects too; signed ones are long.
    static let fetchURLBytes = 8192
    /// How long a host of images may send nothing.
    static let fetchSilence: Duration = .seconds(30)
    /// How long one attempt may take in all; received bytes stay for the next attempt.
    static let fetchTime: Duration = .seconds(600)
    /// How long a name may take to resolve.
    static let resolveTime: Duration = .seconds(10)
    /// How many names are resolved at a time.
    static let resolverThreads = 4
    /// The most addresses of a host that are tried.
    static let fetchAddresses = 8
    /// The bytes of one range, and the most concurrent ranges of a larger image, if the host supports ranges.
    static let (fetchRangeBytes, fetchRanges) = (8 << 20, 4)
    /// The bytes that are made durable at a time, which also bound the memory of a range.
    static let fetchPieceBytes = 1 << 20
    /// The number of leading bytes that show whether it is an image.
    static let signatureBytes = 64
    /// How often a fetch restarts because the host has another version of the image.
    static let fetchRestarts = 2
    /// The most interim heads (1xx) before an answer; a few are usual.
    static let interimAnswers = 16
    /// The most clients that stay open for hosts of images.
    static let fetchClients = 32
}

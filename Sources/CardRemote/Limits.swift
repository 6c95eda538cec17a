/// The constants of this module and their reasons.
enum Limits {
    /// How long a connection may take to open, a proxy's tunnel and TLS included, and how long a request waits for a
    /// free one.
    static let connectTimeout: Duration = .seconds(10)
    /// How long an unused connection is kept: below the five seconds after which common servers close theirs, or a
    /// request meets the closing.
    static let poolIdleTime: Duration = .seconds(4)
    /// The longest reply body, inflated, in bytes: a batch reply has some 10 KiB.
    static let replyBytes = 1_048_576
    /// The longest text, in bytes, that counts as a word of a service itself, not as a page of a gateway.
    static let shortText = 4096
    /// How long the body of an early refusal is waited for: its sender may have closed already, or never will.
    static let earlyRefusalGrace: Duration = .seconds(1)
    /// The longest `Retry-After` that is obeyed at a time: then one call finds out whether the remote still means it.
    static let retryAfter: Duration = .seconds(3600)
    /// The bytes read and handed to a connection at a time.
    static let chunkBytes = 65_536
    /// How deep the elements of an XML document may be nested.
    static let xmlDepth = 16
    /// The longest name of a processing instruction in a reply.
    static let xmlNameBytes = 64
    /// How long a signature stands for key and secret: long enough for clocks that differ by minutes.
    static let signatureLifetime: Int64 = 300
    /// The longest RETCODE that is shown, in characters.
    static let retcodeLength = 16
    /// How many digits of a RETCODE may be shown: identity numbers of the first generation have 15.
    static let retcodeDigits = 14
    /// How many scalars of a remote's text are looked at, and the length of what is shown of it.
    static let foreignText = (read: 8192, shown: 200)

    // MARK: Images by URL

    /// The longest URL in bytes, of redirects too; signed ones are long.
    static let fetchURLBytes = 8192
    /// How long a host of images may send nothing.
    static let fetchSilence: Duration = .seconds(30)
    /// How long one attempt may take in all; what has come stays for the next.
    static let fetchTime: Duration = .seconds(600)
    /// How long a name may take to resolve.
    static let resolveTime: Duration = .seconds(10)
    /// How many names are resolved at a time.
    static let resolverThreads = 4
    /// The most addresses of a host that are tried.
    static let fetchAddresses = 8
    /// What comes in one request; a larger image comes in ranges of so many bytes if the host can do that, so many at a
    /// time.
    static let (fetchRangeBytes, fetchRanges) = (8 << 20, 4)
    /// The bytes that are made durable at a time, which are also all that a range holds in memory.
    static let fetchPieceBytes = 1 << 20
    /// So many leading bytes say whether it is an image.
    static let signatureBytes = 64
    /// How often an image is begun again because its host has another version of it.
    static let fetchRestarts = 2
    /// Interim heads (1xx) that an answer may have before it; a few are usual.
    static let interimAnswers = 16
    /// Clients that are kept open for hosts of images.
    static let fetchClients = 32
}

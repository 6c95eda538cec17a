/// The constants of this module and their reasons.
enum Limits {
    /// How long a connection may take to open, with proxy tunnel and TLS; and how long a request waits for a free connection.
    static let connectTimeout: Duration = .seconds(10)
    /// How long an idle connection stays open: less than with common servers (5 s), so that no request is sent on a connection
    /// that the server is closing.
    static let poolIdleTime: Duration = .seconds(4)
    /// The longest decompressed reply body, in bytes: a reply to a batch has some 10 KiB.
    static let replyBytes = 1_048_576
    /// The longest text, in bytes, that counts as an answer of the service itself, not as a page of a gateway.
    static let shortText = 4096
    /// How long to wait for the body of an early refusal, which may never come.
    static let earlyRefusalGrace: Duration = .seconds(1)
    /// The longest `Retry-After` that is obeyed; after this time, one call checks whether the remote still refuses.
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
    /// The most digits of a RETCODE that is shown: fewer than the 15 of an identity number of the first generation.
    static let retcodeDigits = 14
    /// How many Unicode scalars of a remote's text are read, and how many characters are shown.
    static let foreignText = (read: 8192, shown: 200)

    // MARK: Images by URL

    /// The longest URL in bytes, also of redirects; signed URLs are long.
    static let fetchURLBytes = 8192
    /// How long a host of images may send nothing.
    static let fetchSilence: Duration = .seconds(30)
    /// How long one attempt may take; the next attempt continues after the bytes received so far.
    static let fetchTime: Duration = .seconds(600)
    /// How long a name may take to resolve.
    static let resolveTime: Duration = .seconds(10)
    /// How many names are resolved at a time.
    static let resolverThreads = 4
    /// The maximum number of addresses of a host that are tried.
    static let fetchAddresses = 8
    /// If the host supports ranges: the bytes of one range, and the number of ranges of a larger image that are fetched at a time.
    static let (fetchRangeBytes, fetchRanges) = (8 << 20, 4)
    /// The bytes that are made durable at a time, which also bound the memory of a range.
    static let fetchPieceBytes = 1 << 20
    /// The number of leading bytes that show whether a file is an image.
    static let signatureBytes = 64
    /// How often a fetch restarts because the host has another version of the image.
    static let fetchRestarts = 2
    /// The maximum number of interim heads (1xx) before an answer; a few are usual.
    static let interimAnswers = 16
    /// The number of clients for hosts of images above which idle ones are closed.
    static let fetchClients = 32
}

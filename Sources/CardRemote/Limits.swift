/// The constants of this module and their reasons.
enum Limits {
    /// How long a connection may take to open, a proxy's tunnel and TLS included, and how long a request waits for a
    /// free one.
    static let connectTimeout: Duration = .seconds(5)
    /// How long an unused connection is kept: below the five seconds after which common servers close theirs, or a
    /// request meets the closing.
    static let poolIdleTime: Duration = .seconds(4)
    /// The longest reply body, inflated, in bytes: a batch reply has some 10 KiB.
    static let replyBytes = 1_048_576
    /// How long the body of an early refusal is waited for: its sender may have closed already, or never will.
    static let earlyRefusalGrace: Duration = .seconds(1)
    /// The longest `Retry-After` that is obeyed (urllib3 has the same): a remote must not stop the pipeline for ever.
    static let retryAfter: Duration = .seconds(6 * 3600)
    /// The bytes read and handed to a connection at a time.
    static let chunkBytes = 65_536
    /// How deep a JSON document may be nested.
    static let jsonDepth = 64
    /// How deep the elements of an XML document may be nested.
    static let xmlDepth = 16
    /// How long a signature stands for key and secret: long enough for clocks that differ by minutes.
    static let signatureLifetime: Int64 = 300
    /// The longest RETCODE that is shown, in characters.
    static let retcodeLength = 16
    /// How many digits of a RETCODE may be shown: identity numbers of the first generation have 15.
    static let retcodeDigits = 14
    /// How many scalars of a remote's text are looked at, and the length of what is shown of it.
    static let foreignText = (read: 8192, shown: 200)
}

/// What nobody has a reason to set.
enum Limits {
    /// Larger uploads are answered with 413: a prepared image of 20 MiB and its fields fit.
    static let requestBytes = 32 << 20
    /// The parts of a form: those of a batch of 64 documents.
    static let parts = 2 + 4 * 64
    /// The bytes of a request's header lines, in all and each; a raw upload carries its fields there.
    static let headerBytes = 16_384
    static let headerFields = 100
    static let idleTime = Duration.seconds(60)
    /// How long a body may take to arrive.
    static let bodyTime = Duration.seconds(60)
    static let slowTime = Duration.seconds(5)
    /// How long a sender may go on sending a body that was refused, so that it can read the refusal.
    static let lingerTime = Duration.seconds(1)

    /// The characters of a field's value.
    static let fieldCharacters = 200
    /// The characters of an idempotency key.
    static let keyCharacters = 256
    /// The bytes of a folder's name: file systems allow 255.
    static let folderNameBytes = 120

    /// What decoding one picture may hold, in bytes: 8000 x 8000 pixels, progressive, at half size.
    static let decodeBytes: UInt64 = 256 << 20
    /// The scans of a progressive JPEG; cameras write about ten.
    static let scans: UInt32 = 100
    static let decodeMilliseconds: UInt32 = 10_000
    /// A picture with a longer edge is halved while it is decoded: that leaves more than the reader looks at.
    static let longestHeldEdge: UInt32 = 4096
}

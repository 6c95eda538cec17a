/// Fixed limits, each with its reason.
enum Limits {
    /// Larger uploads are answered with 413: a prepared image of 20 MiB and its fields fit.
    static let requestBytes = 32 << 20
    /// The maximum parts of a form: a batch of 64 documents.
    static let parts = 2 + 4 * 64
    /// The maximum bytes of a request's header lines, in total and each; a raw upload has its fields there.
    static let headerBytes = 16_384
    static let headerFields = 100
    static let idleTime = Duration.seconds(60)
    /// The maximum time for receiving a body.
    static let bodyTime = Duration.seconds(60)
    static let slowTime = Duration.seconds(5)
    /// The time that a client may continue to send a refused body, so that it can read the refusal.
    static let lingerTime = Duration.seconds(1)

    /// The characters of a field's value.
    static let fieldCharacters = 200
    static let keyCharacters = 256
    /// The bytes of a folder's name: file systems allow 255.
    static let folderNameBytes = 120

    /// The maximum memory for decoding one picture, in bytes: 8000 x 8000 pixels, progressive, at half size.
    static let decodeBytes: UInt64 = 256 << 20
    /// The scans of a progressive JPEG; cameras write about ten.
    static let scans: UInt32 = 100
    static let decodeMilliseconds: UInt32 = 10_000
    /// A picture with a longer edge is halved while it is decoded: the result still exceeds the reader's needs.
    static let longestHeldEdge: UInt32 = 4096
}

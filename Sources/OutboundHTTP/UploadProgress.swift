/// How far an upload is, in bytes that a socket has taken: they are sent, not acknowledged.
package struct UploadProgress: Hashable, Sendable {
    /// The bytes of the body sent by the attempt that came furthest; never more than ``contentLength``.
    package var bodyBytes: UInt64
    /// The length of the body.
    package var contentLength: UInt64
    /// The bytes sent by all attempts together, heads included: what the upload has cost.
    package var totalBytes: UInt64

    /// Describes a progress.
    package init(bodyBytes: UInt64 = 0, contentLength: UInt64, totalBytes: UInt64 = 0) {
        self.bodyBytes = bodyBytes
        self.contentLength = contentLength
        self.totalBytes = totalBytes
    }

    /// Whether all of the body was sent by some attempt.
    package var isComplete: Bool { self.bodyBytes == self.contentLength }
}

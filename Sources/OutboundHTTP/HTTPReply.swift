package import Foundation

/// An answer of a remote: the status, two headers, and the body within the limit.
///
/// Redirects are not followed: they come here as 3xx.
package struct HTTPReply: Sendable {
    /// The status code.
    package var status: Int
    /// The media type in lower case without parameters, such as `application/json`.
    package var mediaType: String?
    /// How long the remote asks to wait (RFC 9110 section 10.2.3), clamped by ``RetryAfter``.
    package var retryAfter: Duration?
    /// The body; personal data.
    package var body: Data
    /// Whether the body came to its end. Only a reply of status 300 and above is reported without: there the status is
    /// the news.
    package var isComplete: Bool

    /// Describes a reply.
    package init(
        status: Int,
        mediaType: String? = nil,
        retryAfter: Duration? = nil,
        body: Data = Data(),
        isComplete: Bool = true
    ) {
        self.status = status
        self.mediaType = mediaType
        self.retryAfter = retryAfter
        self.body = body
        self.isComplete = isComplete
    }

    /// Whether the status is one of success, 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(self.status) }
}

extension HTTPReply: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status and length, never the body.
    package var description: String { "HTTPReply(\(self.status), \(self.body.count) bytes)" }
    /// The same as ``description``.
    package var debugDescription: String { self.description }
    /// A mirror without the body.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

import CardModel
import Foundation

/// How far a request had come when it ended without a usable reply.
///
/// "Handed over" is not "received": bytes given to a connection may still lie in a buffer. Only if no head was handed over is it
/// certain that nothing was sent. Therefore there are two phases, and no third.
enum HTTPPhase: Sendable {
    /// The request head was never handed to a connection: the remote cannot have seen the request.
    case notSent
    /// The request head was handed to a connection: the remote may have seen, and done, everything.
    case afterSend
}

enum HTTPExchange: Sendable {
    /// The remote answered; the caller knows what the status means.
    case reply(HTTPReply)
    case failure(HTTPFailure)
    /// The calling task was cancelled, or the client was shut down: interrupted is not failed.
    case cancelled(HTTPPhase)
}

/// An answer of a remote; redirects are not followed but returned as 3xx.
struct HTTPReply: Sendable, Discreet {
    var status: Int
    var contentType: String?
    /// The value of `Content-Encoding`, if the body is still encoded.
    var contentCoding: String?
    /// The wait that the remote asks for, bounded by ``RetryAfter``.
    var retryAfter: Duration?
    /// The body; personal data.
    var body = Data()
    /// Whether the body is complete; only a reply of status 300 and above is reported without its whole body.
    var isComplete = true
    /// Whether the connection was used before: the answer may then be an extra one to an earlier request.
    var isOnReusedConnection = false

    var isSuccess: Bool { (200..<300).contains(self.status) }

    /// Whether the body is a JSON object, which is complete once its last bracket is there.
    var isJSONObject: Bool {
        (try? ReplyText.utf8(of: self)).flatMap { JSONValue(parsing: $0) }?.isObject ?? false
    }

    /// The media type in lower case without parameters, such as `application/json`.
    var mediaType: String? { self.contentType?.split(separator: ";").first?.trimmed.lowercased() }

    /// Whether the body is a page of HTML: by its first bytes, else by its media type; other well-formed XML is not.
    func isHTML(isXML: Bool) -> Bool {
        let start = String(decoding: self.body.prefix(256), as: UTF8.self).trimmed.lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return true }
        return start.hasPrefix("<") && !isXML && self.mediaType == "text/html"
    }

    /// Whether the body is a page, or a long text: gateways send these, and may let a later request through.
    func isPage(isDocument: Bool) -> Bool {
        self.isHTML(isXML: isDocument) || !isDocument && self.body.count > Limits.shortText
    }

    var charset: String? {
        // No Regex here: making one takes longer than everything else done with a reply.
        for parameter in self.contentType?.split(separator: ";").dropFirst() ?? [] {
            let sides = parameter.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmed.lowercased() == "charset" else { continue }
            let value = sides[1].trimmed.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Status and length, never the body.
    var description: String { "HTTPReply(\(self.status), \(self.body.count) bytes)" }
}

/// Why a request has no usable reply.
struct HTTPFailure: Error, Hashable, Sendable {
    /// The closed set of transport failures; ``message`` says what each is.
    enum Code: String, Sendable {
        case dns
        case connectRefused = "connect_refused"
        /// The address, the proxy or the TLS handshake did not answer in time.
        case connectTimeout = "connect_timeout"
        /// The address cannot be reached for another reason, such as a missing route.
        case connectFailed = "connect_failed"
        /// The proxy answered, but opened no tunnel.
        case proxyRefused = "proxy_refused"
        /// The proxy requires credentials, or others than ours (407).
        case proxyAuthentication = "http_407"
        case tls
        /// No trusted authority issued the server's certificate, or the certificate is outside its validity.
        case tlsUntrusted = "tls_untrusted"
        /// The server's certificate is trusted but names another host.
        case tlsWrongHost = "tls_wrong_host"
        /// The server refuses our certificate, or requires one. With TLS 1.3 this is known only after the head was handed over.
        case tlsClientCertificate = "tls_client_certificate"
        /// The peer does not speak TLS, or has no TLS version in common with us.
        case tlsProtocol = "tls_protocol"
        case poolTimeout = "pool_timeout"
        case deadlineExceeded = "deadline_exceeded"
        case connectionReset = "connection_reset"
        case connectionClosed = "connection_closed"
        /// The remote sent an answer that no request asked for, or answered on a reused connection before the form was written.
        case unaskedAnswer = "unasked_answer"
        /// The remote answered with success before the form was sent, so the success cannot be one.
        case earlySuccess = "early_success"
        case replyTooLarge = "reply_too_large"
        case replyMalformed = "reply_malformed"
        /// The reply cannot be decompressed within the limit.
        case replyUndecodable = "reply_undecodable"
        /// The request cannot be expressed, for example a header value with a line break.
        case invalidRequest = "invalid_request"
        /// The length of the form differs from the announced one: a fault of ours.
        case formUnreadable = "form_unreadable"
        /// Anything else; the phase still holds.
        case transport
    }

    let code: Code
    /// Whether the remote may have seen the request.
    let phase: HTTPPhase
    /// What happened and what to do: host and port at most, nothing of the request or the reply.
    let message: Message

    /// Returns this failure in the classes of the pipeline.
    ///
    /// A fault of ours is `stop`: the next request would fail in the same way. So are refused proxy credentials, and a refused
    /// certificate of ours: with TLS 1.3 the refusal comes after the sending, but such a server processes nothing that was sent,
    /// and the same bytes are sent again under the same key.
    ///
    /// - Parameter afterSend: the class if the remote may have seen the request: `transient` if repeating is harmless, else
    ///   `unknown`.
    func remoteFailure(afterSend: FailureClass) -> RemoteFailure {
        let failureClass: FailureClass =
            switch self.code {
            case .invalidRequest, .formUnreadable, .proxyAuthentication, .tlsClientCertificate: .stop
            default: self.phase == .notSent ? .notSent : afterSend
            }
        var failure = RemoteFailure(failureClass, code: self.code.rawValue, message: self.message)
        if self.code == .invalidRequest || self.code == .formUnreadable { failure.stopScope = .request }
        failure.isUnreadable = self.code == .replyUndecodable
        return failure
    }
}

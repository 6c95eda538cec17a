import CardModel
import Foundation

/// How far a request got before it ended without a usable reply. There are only two phases. After the head was handed to a
/// connection, it is not known how many bytes have left its buffers; only before that is it certain that nothing was sent.
enum HTTPPhase: Sendable {
    /// The request head was never handed to a connection: the remote cannot have seen the request.
    case notSent
    /// The request head was handed to a connection: the remote may have seen, and done, everything.
    case afterSend
}

enum HTTPExchange: Sendable {
    case reply(HTTPReply)
    case failure(HTTPFailure)
    /// The calling task was cancelled, or the client was shut down, which does not count as a failure.
    case cancelled(HTTPPhase)
}

/// An answer of a remote; redirects are not followed but returned as 3xx.
struct HTTPReply: Sendable, Discreet {
    var status: Int
    var contentType: String?
    /// The value of `Content-Encoding`, if the body is still encoded.
    var contentCoding: String?
    /// The wait that the remote asks for, at most ``Limits/retryAfter``.
    var retryAfter: Duration?
    /// The body, which has personal data.
    var body = Data()
    /// Whether the body is complete; it always is if the status is below 300.
    var isComplete = true
    /// Whether the connection was used before, so that the answer may be an extra one to an earlier request.
    var isOnReusedConnection = false

    var isSuccess: Bool { (200..<300).contains(self.status) }

    /// Whether the body is a JSON object; it is then complete, since its last bracket is there.
    var isJSONObject: Bool {
        (try? ReplyText.utf8(of: self)).flatMap { JSONValue(parsing: $0) }?.isObject ?? false
    }

    /// The media type in lower case without parameters, such as `application/json`.
    var mediaType: String? { self.contentType?.split(separator: ";").first?.trimmed.lowercased() }

    /// Whether the body is a page of HTML, by its first bytes or its media type.
    ///
    /// - Parameter isXML: whether the body was read as XML, which is then not HTML even if the media type says so.
    func isHTML(isXML: Bool) -> Bool {
        let start = String(decoding: self.body.prefix(256), as: UTF8.self).trimmed.lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return true }
        return start.hasPrefix("<") && !isXML && self.mediaType == "text/html"
    }

    /// Whether the body is a page or a long text, as gateways send them; a later request may then get through to the service.
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

    /// Shows status and length, never the body.
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
        /// The connection failed for another reason, such as a missing route.
        case connectFailed = "connect_failed"
        /// The proxy answered, but opened no tunnel.
        case proxyRefused = "proxy_refused"
        /// The proxy requires credentials, or does not accept ours (407).
        case proxyAuthentication = "http_407"
        case tls
        /// No trusted authority issued the server's certificate, or the certificate is outside its validity.
        case tlsUntrusted = "tls_untrusted"
        /// The server's certificate is trusted but names another host.
        case tlsWrongHost = "tls_wrong_host"
        /// The server refuses our certificate, or requires one. With TLS 1.3, this is known only after the head was sent.
        case tlsClientCertificate = "tls_client_certificate"
        /// The server does not speak TLS, or supports no version that we support.
        case tlsProtocol = "tls_protocol"
        case poolTimeout = "pool_timeout"
        case deadlineExceeded = "deadline_exceeded"
        case connectionReset = "connection_reset"
        case connectionClosed = "connection_closed"
        /// The remote sent an answer that no request asked for, or answered on a reused connection before the form was written.
        case unaskedAnswer = "unasked_answer"
        /// The remote answered with success before the whole form was sent, so the success cannot be one.
        case earlySuccess = "early_success"
        case replyTooLarge = "reply_too_large"
        case replyMalformed = "reply_malformed"
        /// The reply cannot be decompressed within the limit.
        case replyUndecodable = "reply_undecodable"
        /// The request cannot be expressed, for example a header value with a line break.
        case invalidRequest = "invalid_request"
        /// The length of the form differs from the announced one, which is a fault of this program.
        case formUnreadable = "form_unreadable"
        /// Any other fault.
        case transport
    }

    let code: Code
    /// Whether the remote may have seen the request.
    let phase: HTTPPhase
    /// What happened and what to do; names host and port at most, and quotes nothing of the request or the reply.
    let message: Message

    /// Returns this failure in the classes of the pipeline.
    ///
    /// Faults of this program, and refusals of our proxy credentials or certificate, have the class `stop`, since every request
    /// would fail like this. With TLS 1.3, a certificate is refused only after the request was sent; but a server that does so
    /// processes nothing.
    ///
    /// - Parameter afterSend: the class if the remote may have seen the request: `transient` if the call is safe to repeat, else
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

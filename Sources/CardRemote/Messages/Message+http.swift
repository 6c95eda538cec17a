import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    // MARK: Addresses; the key is that of the configuration

    static func urlInvalid(_ key: String) -> Self { Self("url.invalid", "\(code: key) is not a URL with scheme and host; write it as https://host:port/path") }
    static func urlUserOrFragment(_ key: String) -> Self { Self("url.user_or_fragment", "\(code: key) holds a user name, a password or a fragment (#); remove it") }
    static func urlPort(_ key: String) -> Self { Self("url.port", "\(code: key) has a port that is not a number from 1 to 65535; correct it") }
    static func proxyInvalid(_ key: String) -> Self { Self("proxy.invalid", "\(code: key) is not the address of a proxy; write it as http://host:port, also for https endpoints; give no path") }
    static func proxyColon(_ key: String) -> Self { Self("proxy.colon", "\(code: key) has a user name with a colon, which no proxy can read; use another account") }
    static func proxyNoUser(_ key: String) -> Self { Self("proxy.no_user", "\(code: key) has a password but no user name; give both or none") }

    // MARK: Files of TLS

    static func tlsPairMissing(_ missing: String, beside present: String) -> Self { Self("tls.pair_missing", "\(code: missing) is missing, but \(code: present) is set; set both or none") }
    static func tlsKeyUnreadable(_ key: String, _ path: String) -> Self { Self("tls.key_unreadable", "\(code: key): cannot read a private key in PEM from \(Redacted(path)); check its path and its permissions, and that it has no passphrase") }
    static func tlsNoAuthorities(_ key: String) -> Self { Self("tls.no_authorities", "this machine has no certificate authorities, so no https endpoint can be trusted; install them: apt-get install ca-certificates; or set \(code: key)") }
    static func tlsKeyMismatch(_ key: String, _ path: String) -> Self { Self("tls.key_mismatch", "\(code: key): the key in \(Redacted(path)) does not belong to the first certificate of client_certificate; supply the key that the certificate was requested with") }
    static func tlsCertificatesUnreadable(_ key: String, _ path: String) -> Self { Self("tls.certificates_unreadable", "\(code: key): cannot read certificates in PEM from \(Redacted(path)); check its path and its permissions, and that it holds a block BEGIN CERTIFICATE") }
    static func tlsCertificateExpired(_ key: String, _ path: String, day: String) -> Self { Self("tls.certificate_expired", "\(code: key): a certificate in \(Redacted(path)) expired on \(code: day); replace it") }

    // MARK: Connections

    static let probeOK = Self("probe.ok", "ok")
    static func probeCertificate(_ end: Timestamp) -> Self { Self("probe.certificate", "ok, the certificate is valid until \(end)") }
    static func probeAnswered(_ status: Int) -> Self { Self("probe.answered", "ok, the server answers with status \(status)") }
    static func httpUnresolved(_ remote: String) -> Self { Self("http.unresolved", "cannot resolve the host name of \(code: remote); check the URL and the name service of this machine") }
    static func httpProxyUnresolved(_ proxy: String) -> Self { Self("http.proxy_unresolved", "cannot resolve the host name of the proxy \(code: proxy); check its URL and the name service of this machine") }
    static func httpConnectRefused(_ remote: String) -> Self { Self("http.connect_refused", "\(code: remote) refused the connection; check that the service runs and that the port is right") }
    static func httpProxyConnectRefused(_ proxy: String) -> Self { Self("http.proxy_connect_refused", "the proxy \(code: proxy) refused the connection; check that it runs and that its port is right") }
    static func httpConnectTimeout(_ remote: String) -> Self { Self("http.connect_timeout", "\(code: remote) did not complete the connection or the TLS handshake in time; check the network, the firewall and the port") }
    static func httpProxyConnectTimeout(_ proxy: String, to remote: String) -> Self { Self("http.proxy_connect_timeout", "the proxy \(code: proxy) opened no connection to \(code: remote) in time; check the proxy and its network") }
    static func httpUnreachable(_ remote: String) -> Self { Self("http.unreachable", "cannot reach \(code: remote); check the network and the URL") }
    static func httpProxyUnreachable(_ proxy: String) -> Self { Self("http.proxy_unreachable", "cannot reach the proxy \(code: proxy); check the URL of the proxy and the network") }
    static func httpProxyRefused(_ proxy: String, to remote: String) -> Self { Self("http.proxy_refused", "the proxy \(code: proxy) opened no tunnel to \(code: remote); check that the proxy allows this host and port, and see the log of the proxy") }
    static func httpProxyAuthentication(_ proxy: String) -> Self { Self("http.proxy_authentication", "the proxy \(code: proxy) asks for a valid user name and password (status 407); correct them in its URL") }
    static func httpPoolTimeout(_ remote: String) -> Self { Self("http.pool_timeout", "all connections to \(code: remote) stayed in use for too long; raise the concurrency of this service in the configuration, or check the load of the service") }
    static func httpDeadlineExceeded(_ remote: String) -> Self { Self("http.deadline_exceeded", "\(code: remote) did not finish its answer in time; check its load, or raise its timeout in the configuration") }
    static func httpConnectionReset(_ remote: String) -> Self { Self("http.connection_reset", "\(code: remote) reset the connection during the request; see the log of that service, or of a proxy on the way") }
    static func httpConnectionClosed(_ remote: String) -> Self { Self("http.connection_closed", "\(code: remote) closed the connection before its answer was complete; see its log") }
    static func httpBrokenOff(_ remote: String) -> Self { Self("http.broken_off", "the exchange with \(code: remote) ended for an unexpected reason; see the log of that service") }

    // MARK: Certificates

    static func httpUntrusted(_ remote: String) -> Self { Self("http.untrusted", "the certificate of \(code: remote) is not trusted or not valid now; check the clock of this machine, and that this is the right server; if both are right, set tls.ca_file to a file with the certificates of the server's authority; for a self-signed certificate, put the server's own certificate into that file") }
    static func httpWrongHost(_ remote: String) -> Self { Self("http.wrong_host", "the certificate of \(code: remote) is trusted, but names another host; write the host name from the certificate in the URL, or have a certificate issued for this host") }
    static func httpNoTLS(_ remote: String) -> Self { Self("http.no_tls", "\(code: remote) does not speak TLS 1.2 or later on this port; check the scheme and the port of the URL") }
    static func httpCertificateRefused(_ remote: String) -> Self { Self("http.certificate_refused", "\(code: remote) refuses our client certificate; check that the certificate is valid and that the server trusts the authority that issued it") }
    static func httpCertificateMissing(_ remote: String) -> Self { Self("http.certificate_missing", "\(code: remote) asks for a client certificate, but none is configured; set tls.client_certificate and tls.client_key") }
    static func httpTLSFailed(_ remote: String) -> Self { Self("http.tls_failed", "cannot open an encrypted connection to \(code: remote); check its certificate and that the port speaks TLS") }

    // MARK: Requests and answers

    static func httpInvalidRequest(_ remote: String, _ why: Message) -> Self { Self("http.invalid_request", "cannot build the request to \(code: remote): \(why)") }
    static let httpIllegalCharacters = Self("http.illegal_characters", "a header or the URL holds illegal characters")
    static let httpHeaderName = Self("http.header_name", "the name of a header is empty or holds an illegal character")
    static func httpHeaderValue(_ name: String) -> Self { Self("http.header_value", "the value of the header \(code: name) holds a character other than visible ASCII, or starts or ends with a space") }
    static func httpFormLength(_ remote: String) -> Self { Self("http.form_length", "the form for \(code: remote) was longer or shorter than announced; report this") }
    static func httpUnaskedAnswer(_ remote: String) -> Self { Self("http.unasked_answer", "\(code: remote) sent an answer that belongs to no request; check that the URL is that of the service, and see its log") }
    static func httpEarlySuccess(_ remote: String) -> Self { Self("http.early_success", "\(code: remote) answered with success before it had the whole request; check that the URL is that of the service") }
    static func httpReplyTooLarge(_ remote: String) -> Self { Self("http.reply_too_large", "the answer of \(code: remote) has more than \(bytes: Limits.replyBytes); check that the URL is that of the service") }
    static func httpReplyMalformed(_ remote: String) -> Self { Self("http.reply_malformed", "the answer of \(code: remote) is not HTTP; check the scheme and the port of the URL") }
    static func httpReplyUndecodable(_ remote: String) -> Self { Self("http.reply_undecodable", "cannot decompress the answer of \(code: remote): it is damaged or has more than \(bytes: Limits.replyBytes); have it sent uncompressed") }

    // MARK: Texts of answers; behind "cannot read …: "

    static func replyCoding(_ coding: String) -> Self { Self("reply.coding", "the answer is compressed in a way that is not supported (\(code: coding))") }
    static func replyCharset(_ charset: String) -> Self { Self("reply.charset", "the charset \(code: charset) is not supported") }
    static let replyCharsetUnnamed = Self("reply.charset_unnamed", "the answer names no charset and is not UTF-8")
    static func replyCharsetWrong(_ charset: String) -> Self { Self("reply.charset_wrong", "the answer is labelled as \(code: charset), but is not in that charset") }
    static let replyMarkWrong = Self("reply.mark_wrong", "the byte order mark of the answer does not match its encoding")
}

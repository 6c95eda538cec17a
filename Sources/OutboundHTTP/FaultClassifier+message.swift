import AsyncHTTPClient
import IDCardMultipartForm

extension FaultClassifier {
    /// Whom the connection is made to: the proxy, if there is one.
    private var peer: String { self.proxy.map { "the proxy \($0.authority)" } ?? self.endpoint.authority }

    /// Says for people what happened and what to do.
    ///
    /// Written from the code, never from the library's text, which may quote what was sent.
    func message(for code: HTTPFailure.Code, phase: HTTPPhase, cause: (any Error)?) -> String {
        let remote = self.endpoint.authority
        return switch code {
        case .dns: "the host name of \(self.peer) has no address: check the URL and this machine's name service"
        case .connectRefused:
            "\(self.peer) refused the connection: check that the service runs and that the port is right"
        case .connectTimeout: self.messageForConnectTimeout(cause)
        case .connectFailed: "\(self.peer) cannot be reached: check the network and the URL"
        case .proxyRefused: self.messageForProxy(cause)
        case .poolTimeout:
            "no connection to \(remote) became free in time: allow more connections or lower the concurrency"
        case .deadlineExceeded:
            "\(remote) did not finish its answer in time: check its load, or raise the timeout"
        case .idleWriteTimeout:
            "\(remote) took nothing of the request for too long: check its load and the network, or raise the idle"
                + " timeout for writing"
        case .idleTimeout: "\(remote) fell silent after the request: check its load, or raise the timeout"
        case .connectionStale:
            "\(remote) ended a kept connection just when it was used again: it is tried on a fresh one; if this is"
                + " frequent, keep idle connections for a shorter time"
        case .connectionReset: "\(remote) reset the connection during the request: look into its log or a proxy's"
        case .connectionClosed: "\(remote) closed the connection before its answer was complete: look into its log"
        case .earlySuccess:
            "\(remote) answered with success before the form was sent: check that the URL is the service's"
        case .replyTooLarge:
            "the answer of \(remote) exceeds \(self.maximumReplyBytes) bytes: check that the URL is the service's"
        case .replyMalformed: "the answer of \(remote) is not HTTP: check the scheme and the port of the URL"
        case .invalidRequest: self.messageForRequest(cause)
        case .formUnreadable: self.messageForForm(cause)
        default: self.messageForTLS(code, phase: phase, cause: cause)
        }
    }

    /// Says what is wrong with the dates of a certificate.
    func message(for finding: CertificateFinding) -> String {
        let remote = self.endpoint.authority
        let what =
            finding.isOwn
            ? "the certificate of \(remote)" : "a certificate that the one of \(remote) is issued by, shown with it,"
        return switch finding.dates {
        case .expired(let end):
            "\(what) has expired on \(TLSSettings.day(end)): its operator must renew it; check this machine's clock"
        case .notYetValid(let start):
            "\(what) is not valid before \(TLSSettings.day(start)): check this machine's clock"
        }
    }

    private func messageForTLS(_ code: HTTPFailure.Code, phase: HTTPPhase, cause: (any Error)?) -> String {
        let remote = self.endpoint.authority
        return switch code {
        case .tls: "no encrypted connection to \(remote) came about: check its certificate and that the port speaks TLS"
        case .tlsUntrusted: self.messageForUntrusted(cause)
        case .tlsWrongHost:
            "the certificate of \(remote) is trusted but made out to another host: use the name in the certificate in"
                + " the URL, or have it issued for this one"
        case .tlsExpired: self.messageForExpired(cause)
        case .tlsClientCertificate: self.messageForClientCertificate(phase)
        case .tlsProtocol:
            "\(remote) does not speak TLS on this port, or no version of it from 1.2 on: check the scheme and the port"
                + " of the URL"
        case .tlsRequired:
            "certificates are pinned for \(remote), and its URL begins with http://: use https, or remove the pins"
        case .tlsInsecureRefused:
            (cause as? OutboundHTTPError)?.message ?? "\(remote): TLS without verification is for this machine only"
        default: "the exchange with \(remote) broke off for an unexpected reason: try again, look into its log"
        }
    }

    private func messageForUntrusted(_ cause: (any Error)?) -> String {
        let remote = self.endpoint.authority
        return cause is PinnedCertificates.Refusal
            ? "the certificate of \(remote) is not one of the pinned ones: check that this is the right server; if it has"
                + " a new certificate, get it from its operator and pin it beside the old one"
            : "the certificate of \(remote) is neither trusted here nor issued by anybody who is: check that this is"
                + " the right server, then add its authority's or its own certificate to the trusted ones"
    }

    private func messageForExpired(_ cause: (any Error)?) -> String {
        guard case .outOfTime(let finding) = cause as? PinnedCertificates.Refusal else {
            return "a certificate of \(self.endpoint.authority) has expired: its operator must renew it"
        }
        return self.message(for: finding)
    }

    private func messageForClientCertificate(_ phase: HTTPPhase) -> String {
        let remote = self.endpoint.authority
        let what =
            self.showsCertificate
            ? "\(remote) refuses our client certificate: check that it is valid and issued by an authority the server"
                + " knows"
            : "\(remote) demands a client certificate and none is configured: name the certificate and its key"
        // TLS 1.3: the server's word comes after the handshake is over for us. It has read no request, but this cannot
        // be seen from here.
        return phase == .notSent ? what : what + " (said after the request had been handed over)"
    }

    private func messageForConnectTimeout(_ cause: (any Error)?) -> String {
        // Which step it was is not always known: the library's clock for waiting and its clock for connecting run out
        // at the same moment.
        if cause as? HTTPClientError == .httpProxyHandshakeTimeout || self.proxy != nil {
            return "\(self.peer) opened no connection to \(self.endpoint.authority) in time: check the proxy and its"
                + " way there"
        }
        return self.endpoint.usesTLS
            ? "\(self.peer) did not answer the connection or its TLS handshake in time: check the network, the"
                + " firewall, and that the port speaks TLS"
            : "\(self.peer) did not answer the connection: check the network, the firewall and the port"
    }

    private func messageForProxy(_ cause: (any Error)?) -> String {
        cause as? HTTPClientError == .proxyAuthenticationRequired
            ? "\(self.peer) wants a user name and password, or other ones, for \(self.endpoint.authority): check them"
            : "\(self.peer) opened no tunnel to \(self.endpoint.authority): check that it allows this host and port,"
                + " and its log"
    }

    private func messageForRequest(_ cause: (any Error)?) -> String {
        let what = (cause as? HeaderRules.Violation)?.message ?? "a header or the URL holds illegal characters"
        return "the request to \(self.endpoint.authority) cannot be expressed: \(what)"
    }

    private func messageForForm(_ cause: (any Error)?) -> String {
        guard let cause = cause as? MultipartFormError else {
            return "the form's length changed while it was sent: the source must not be written to meanwhile"
        }
        // This module's messages name parts by position and hold no personal data.
        return cause.message
    }
}

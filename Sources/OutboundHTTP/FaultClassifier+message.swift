import MultipartForm

extension FaultClassifier {
    /// Says for people what happened and what to do.
    ///
    /// Written from the code, never from the library's text, which may quote what was sent.
    func message(for code: HTTPFailure.Code, cause: (any Error)?) -> String {
        let remote = self.endpoint.authority
        return switch code {
        case .dns: "the host name of \(remote) has no address: check the URL and this machine's name service"
        case .connectRefused: "\(remote) refused the connection: check that the service runs and that the port is right"
        case .connectTimeout: "\(remote) did not answer the connection: check the network, the firewall and the port"
        case .connectFailed: "\(remote) cannot be reached: check the network and the URL"
        case .tls: "no encrypted connection to \(remote) came about: check its certificate and that the port speaks TLS"
        case .poolTimeout:
            "no connection to \(remote) became free in time: allow more connections or lower the concurrency"
        case .deadlineExceeded:
            "\(remote) did not finish its answer in time: check its load, or raise the timeout"
        case .idleTimeout: "\(remote) fell silent after the request: check its load, or raise the timeout"
        case .connectionReset: "\(remote) reset the connection during the request: look into its log or a proxy's"
        case .connectionClosed: "\(remote) closed the connection before its answer was complete: look into its log"
        case .earlySuccess:
            "\(remote) answered with success before the form was sent: check that the URL is the service's"
        case .replyTooLarge:
            "the answer of \(remote) exceeds \(self.maximumReplyBytes) bytes: check that the URL is the service's"
        case .replyMalformed: "the answer of \(remote) is not HTTP: check the scheme and the port of the URL"
        case .invalidRequest:
            "the request to \(remote) cannot be expressed: a header or the URL holds illegal characters"
        case .formUnreadable: self.messageForForm(cause)
        default: "the exchange with \(remote) broke off for an unexpected reason: try again, look into its log"
        }
    }

    private func messageForForm(_ cause: (any Error)?) -> String {
        guard let cause = cause as? MultipartFormError else {
            return "the form's length changed while it was sent: the source must not be written to meanwhile"
        }
        // This module's messages name parts by position and hold no personal data.
        return cause.message
    }
}

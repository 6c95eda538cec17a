import CardModel

/// An error string of the Megvii services, such as `MISSING_ARGUMENTS: image`: a code, and maybe a detail.
struct VendorError: Hashable, Sendable {
    /// The details that the vendor's pages list; any other may quote what was sent and is left out of messages.
    private static let knownDetails: Set<String> = [
        "Denied by Client", "Denied by Admin", "Insufficient Account Balance", "Limit reached.", "Denied.",
        "No data source permission.", "api_key", "api_secret", "sign", "sign_version", "image", "image_file",
        "image_url", "image_base64", "legality", "return_portrait",
    ]

    /// The code: the text before the first colon, trimmed, compared by case.
    let code: String
    /// The text after it, trimmed.
    let detail: String

    init(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.code = halves[0].trimmed
        self.detail = halves.count > 1 ? halves[1].trimmed : ""
    }

    /// The code, if it is one of the vendor's table.
    var known: VendorCode? { VendorCode(rawValue: self.code) }

    /// Returns the failure that this error is.
    ///
    /// An unknown code is carried verbatim, if it looks like one; its class is that of the status, and `transient`
    /// where the status says nothing.
    func failure(of reply: HTTPReply) -> RemoteFailure {
        let status = VendorStatus(reply)
        return RemoteFailure(
            self.known?.failureClass ?? status.failureClass,
            code: self.boundedCode,
            message: self.message(status: reply.status),
            httpStatus: reply.status,
            retryAfter: reply.retryAfter,
            stopScope: self.known?.stopScope ?? status.stopScope
        )
    }

    /// The code, if it has the shape of one: anything else may quote what was sent.
    ///
    /// That is 1 to 64 capital letters and underscores, and after the first letter digits too, at most four in a row:
    /// enough for a version or a year, too few for a number of a card or a telephone.
    var boundedCode: String {
        if self.known == .requestEntityTooLarge { return "http_413" }
        let isCode = self.code.utf8.count <= 64 && self.code.wholeMatch(of: #/_*[A-Z][A-Z_0-9]*/#) != nil
        return isCode && self.code.firstMatch(of: #/[0-9]{5}/#) == nil ? self.code : "unknown_error"
    }

    private func message(status: Int) -> Message {
        let details = self.detail.split(separator: ",").map(\.trimmed)
        let isHarmless = !details.isEmpty && details.allSatisfy(Self.knownDetails.contains)
        let name = isHarmless ? "\(self.boundedCode): \(self.detail)" : self.boundedCode
        return self.known?.message(name) ?? .verifierUnknownError(name, status)
    }
}

/// What the status of a reply says alone, where it carries no error string we know.
struct VendorStatus {
    /// The class of a status that is not one of success.
    let failureClass: FailureClass
    private let message: Message
    private let reply: HTTPReply

    init(_ reply: HTTPReply) {
        self.reply = reply
        let status = reply.status
        (self.failureClass, self.message) =
            switch status {
            case 413: (.shrink, .verifierTooLarge(status))
            case 429: (.throttled, .verifierThrottled(status))
            case 503 where reply.retryAfter != nil: (.throttled, .verifierBusy(status))
            // A redirect is not followed and a wrong method is not ours: the URL is another service's.
            case 300..<400: (.stop, .verifierRedirect(status))
            case 401, 403: (.stop, .verifierAccess(status))
            case 407: (.stop, .verifierProxy(status))
            case 404, 405, 410: (.stop, .verifierURL(status))
            default: (.transient, .verifierStatus(status))
            }
    }

    /// What a stop is about: credentials, or what may be the oddity of one request, such as what a firewall refuses.
    var stopScope: RemoteFailure.StopScope { [401, 407].contains(self.reply.status) ? .account : .request }

    /// The failure of a reply without error string.
    ///
    /// What was cut off may have been the error string, which outranks the status (a 403 can be "slow down"): so a cut
    /// reply is asked for again, unless its status says of itself when and how.
    var failure: RemoteFailure {
        let status = self.reply.status
        let isCut = !self.reply.isComplete && self.failureClass != .shrink && self.failureClass != .throttled
        return RemoteFailure(
            isCut ? .transient : self.failureClass,
            code: isCut ? "truncated_reply" : "http_\(status)",
            message: isCut ? .verifierCutOff(status, self.reply.body.count) : self.message,
            httpStatus: status,
            retryAfter: self.reply.retryAfter,
            stopScope: self.stopScope
        )
    }
}

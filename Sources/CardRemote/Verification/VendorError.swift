import CardModel

/// An error string of the Megvii services, such as `MISSING_ARGUMENTS: image`: a code and an optional detail.
struct VendorError: Hashable, Sendable {
    /// The details that the vendor documents; messages omit all others, which may quote sent data.
    private static let knownDetails: Set<String> = [
        "Denied by Client", "Denied by Admin", "Insufficient Account Balance", "Limit reached.", "Denied.",
        "No data source permission.", "api_key", "api_secret", "sign", "sign_version", "image", "image_file",
        "image_url", "image_base64", "legality", "return_portrait",
    ]

    /// The text before the first colon, trimmed; upper and lower case matter.
    let code: String
    /// The text after the first colon, trimmed.
    let detail: String

    init(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.code = halves[0].trimmed
        self.detail = halves.count > 1 ? halves[1].trimmed : ""
    }

    /// The documented code; `nil` if the vendor does not document it.
    var known: VendorCode? { VendorCode(rawValue: self.code) }

    /// Returns the failure that this error means; for an unknown code, the status decides the class.
    func failure(of reply: HTTPReply) -> RemoteFailure {
        let meaning = VerifierMeaning(status: reply.status, asksToWait: reply.retryAfter != nil)
        return RemoteFailure(
            self.known?.consequence.failureClass ?? meaning.consequence(of: reply).failureClass ?? .transient,
            code: self.boundedCode,
            message: self.message(status: reply.status),
            httpStatus: reply.status,
            retryAfter: reply.retryAfter,
            stopScope: self.known?.consequence.scope ?? meaning.stopScope(status: reply.status)
        )
    }

    /// The code if it looks like one, else `unknown_error`, because other texts may quote sent data. A code has 1 to 64 capital
    /// letters and underscores, and after the first letter also digits, at most four in a row: enough for a version or a year,
    /// too few for an identity or telephone number.
    var boundedCode: String {
        if self.known == .requestEntityTooLarge { return "http_413" }
        let isCode = self.code.utf8.count <= 64 && self.code.wholeMatch(of: #/_*[A-Z][A-Z_0-9]*/#) != nil
        return isCode && self.code.firstMatch(of: #/[0-9]{5}/#) == nil ? self.code : "unknown_error"
    }

    private func message(status: Int) -> Message {
        let details = self.detail.split(separator: ",").map(\.trimmed)
        let isHarmless = !details.isEmpty && details.allSatisfy(Self.knownDetails.contains)
        let name = isHarmless ? "\(self.boundedCode): \(self.detail)" : self.boundedCode
        return self.known?.consequence.message(name) ?? .verifierUnknownError(name, status)
    }
}

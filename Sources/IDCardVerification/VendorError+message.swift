import OutboundHTTP

extension VendorError {
    /// The details that the vendor's pages list; any other may quote what was sent and is left out.
    private static let knownDetails: Set<String> = [
        "Denied by Client", "Denied by Admin", "Insufficient Account Balance", "Limit reached.", "Denied.",
        "No data source permission.", "api_key", "api_secret", "image", "image_file", "image_url", "image_base64",
        "legality",
    ]

    /// Says for people what happened and what to do.
    func message(status: Int) -> String {
        let name = self.shownDetail.map { "\(self.boundedCode): \($0)" } ?? self.boundedCode
        let (what, remedy) = self.explanation(status: status)
        return "\(what) (\(name)): \(remedy)"
    }

    /// The detail as far as it is known to be harmless.
    private var shownDetail: String? {
        let names = self.detail.split(separator: ",").map(\.trimmed)
        return !names.isEmpty && names.allSatisfy(Self.knownDetails.contains) ? self.detail : nil
    }

    private func explanation(status: Int) -> (what: String, remedy: String) {
        switch self.code {
        case "AUTHENTICATION_ERROR":
            ("the verifier refused the API key", "check verification.api_key and verification.api_secret")
        case "AUTHORIZATION_ERROR":
            ("the verifier denies this API key the service", "check the account's balance, quota and permissions")
        case "INSUFFICIENT_PERMISSION":
            ("the API key may not use a parameter", "ask the vendor to license the legality scores")
        case "CONCURRENCY_LIMIT_EXCEEDED":
            ("the key's calls per second are used up", "the pipeline slows down; lower verification.concurrency")
        case "API_NOT_FOUND":
            ("the verifier has no such interface", "check verification.url and verification.dialect")
        case "MISSING_ARGUMENTS", "BAD_ARGUMENTS", "COEXISTENCE_ARGUMENTS":
            ("the verifier refused the request's arguments", "check verification.dialect; if it is right, report this")
        case "INVALID_IMAGE_SIZE":
            ("the verifier finds the image too large or too small", "it is made smaller once; else take a new photo")
        case "IMAGE_FILE_TOO_LARGE", "Request Entity Too Large":
            ("the verifier finds the file too large", "it is made smaller once; lower imaging.byte_budget")
        case "IMAGE_ERROR_UNSUPPORTED_FORMAT":
            ("the verifier cannot decode the image", "take a new photo")
        case "INVALID_IMAGE_URL":
            ("the verifier found no image at the URL", "check verification.dialect")
        case "INTERNAL_ERROR", "IMAGE_DOWNLOAD_TIMEOUT":
            ("the verifier failed", "the call is repeated")
        default:
            ("the verifier answered \(status) with an error we do not know", "see the vendor's list of error codes")
        }
    }
}

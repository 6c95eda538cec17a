import IDCardCore

extension VendorError {
    /// The details that the vendor's pages list; any other may quote what was sent and is left out.
    private static let knownDetails: Set<String> = [
        "Denied by Client", "Denied by Admin", "Insufficient Account Balance", "Limit reached.", "Denied.",
        "No data source permission.", "api_key", "api_secret", "sign", "sign_version", "image", "image_file",
        "image_url", "image_base64", "legality", "return_portrait",
    ]

    /// Says for people what happened and what to do.
    func message(status: Int) -> String {
        let name = self.shownDetail.map { "\(self.boundedCode): \($0)" } ?? self.boundedCode
        let (what, remedy) =
            self.known?.explanation
            ?? ("the verifier answered \(status) with an error we do not know", "see the vendor's list of error codes")
        return "\(what) (\(name)): \(remedy)"
    }

    /// The detail as far as it is known to be harmless.
    private var shownDetail: String? {
        let names = self.detail.split(separator: ",").map(\.trimmed)
        return !names.isEmpty && names.allSatisfy(Self.knownDetails.contains) ? self.detail : nil
    }
}

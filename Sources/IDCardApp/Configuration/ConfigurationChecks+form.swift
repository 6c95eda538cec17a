extension ConfigurationChecks {
    private static let fields = ["token", "user_no", "business_type", "business_no", "doctype", "file"]
        .map { "delivery.fields.\($0)" }
    private static let replyFields = ["code", "message", "items"].map { "delivery.reply.\($0)" }

    private var isOctetStream: Bool { self.values.find("delivery.body", \.text) == "octet-stream" }

    /// Names that can be told apart, and a body that its layout can have.
    var formProblems: [ConfigurationError.Problem] {
        // Names of headers are the same in capitals and small letters (RFC 9110, section 5.1).
        self.sharedNames(among: Self.fields) { self.isOctetStream ? $0.lowercased() : $0 }
            + self.sharedNames(among: Self.replyFields) { $0 }
            + self.octetStreamProblems
    }

    private func sharedNames(
        among paths: [String],
        comparing normal: (String) -> String
    ) -> [ConfigurationError.Problem] {
        var owners: [String: String] = [:]
        return paths.compactMap { path in
            guard let name = self.values.find(path, \.text) else { return nil }
            guard let owner = owners.updateValue(path, forKey: normal(name)) else { return nil }
            return .init(
                .conflict,
                key: path,
                "\(owner) and \(path) are both \"\(name)\"; every field needs its own name"
            )
        }
    }

    private var octetStreamProblems: [ConfigurationError.Problem] {
        guard self.isOctetStream else { return [] }
        var problems: [ConfigurationError.Problem] = []
        let key = "delivery.body"
        if let layout = self.values.find("delivery.layout", \.text), layout != "single" {
            let message =
                "\(key) octet-stream carries one image, and delivery.layout \(layout) several: "
                + "set delivery.layout to single or \(key) to multipart"
            problems.append(.init(.conflict, key: key, message))
        }
        // The part with the image has no header of its own.
        for path in Self.fields.dropLast() {
            guard let name = self.values.find(path, \.text), !HeaderToken.isToken(name) else { continue }
            let message =
                "\(path): \"\(name)\" becomes part of a header's name with \(key) octet-stream; "
                + "expected \(ConfigurationForm.headerToken.expectation)"
            problems.append(.init(.conflict, key: path, message))
        }
        return problems
    }
}

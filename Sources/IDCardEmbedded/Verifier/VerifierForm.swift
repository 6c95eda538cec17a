import Crypto

/// A request's form after it was checked in the vendor's order: account, then image, then options.
struct VerifierForm {
    let image: [UInt8]
    let wantsLegality: Bool

    /// Checks a form.
    ///
    /// - Throws: ``VerifierFault`` for the first thing wrong.
    init(_ form: ReceivedForm, _ configuration: EmbeddedVerifier.Configuration) throws(VerifierFault) {
        let key = try Self.text("api_key", in: form)
        let secret = try Self.text("api_secret", in: form)
        guard let key else { throw .missing("api_key") }
        guard let secret else { throw .missing("api_secret") }
        guard Self.isEqual(secret, to: configuration.secrets[key]) else { throw .authentication }

        let images = form.parts.filter { $0.name == "image" }
        guard images.count <= 1 else { throw .bad("image") }
        // A part without a file name is text to the vendor, and then there is no image.
        guard let image = images.first, image.filename?.isEmpty == false else { throw .missing("image") }
        guard image.body.count <= configuration.imageBytes else { throw .imageTooLarge }

        switch try Self.text("legality", in: form) {
        case nil, "0": self.wantsLegality = false
        case "1": self.wantsLegality = true
        default: throw .bad("legality")
        }
        self.image = image.body
    }

    private static func text(_ name: String, in form: ReceivedForm) throws(VerifierFault) -> String? {
        let parts = form.parts.filter { $0.name == name }
        guard parts.count <= 1 else { throw .bad(name) }
        guard let part = parts.first else { return nil }
        guard let text = part.text else { throw .bad(name) }
        return text
    }

    /// Compares digests, so that the time taken says nothing about the secret.
    private static func isEqual(_ secret: String, to known: String?) -> Bool {
        let given = SHA256.hash(data: Array(secret.utf8))
        let expected = SHA256.hash(data: Array((known ?? "").utf8))
        return given == expected && known != nil
    }
}

import FoundationEssentials

/// A request's form after it was checked in the vendor's order: image, then options; the account was checked before.
struct VerifierForm {
    let image: Data
    /// Whether the scores are to be given; FaceID v3 always gives them.
    let wantsLegality: Bool

    /// Checks a form.
    ///
    /// - Throws: ``VerifierFault`` for the first thing wrong.
    init(_ form: ReceivedForm, _ dialect: EmbeddedVerifier.Dialect) throws(VerifierFault) {
        let images = form.parts.filter { $0.name == dialect.imagePart }
        guard images.count <= 1 else { throw .bad(dialect.imagePart) }
        // A part without a file name is text to the vendor, and then there is no image.
        guard let image = images.first, image.filename?.isEmpty == false else { throw .missing(dialect.imageArguments) }
        guard image.body.count <= dialect.imageBytes else { throw .imageTooLarge(dialect) }
        self.image = image.body

        switch dialect {
        case .faceIDv1, .faceppv1:
            self.wantsLegality = try Self.flag("legality", in: form)
        case .faceIDv3:
            // Cutting the portrait out is not built in; the vendor says so of accounts that may not have it.
            guard try !Self.flag("return_portrait", in: form) else { throw .notPermitted("return_portrait") }
            self.wantsLegality = true
        }
    }

    private static func flag(_ name: String, in form: ReceivedForm) throws(VerifierFault) -> Bool {
        switch try form.value(of: name) {
        case nil, "0": false
        case "1": true
        default: throw .bad(name)
        }
    }
}

extension ReceivedForm {
    /// The text of a part; `nil` if there is none of the name.
    ///
    /// - Throws: ``VerifierFault`` for two parts of the name, and for bytes that are no text.
    func value(of name: String) throws(VerifierFault) -> String? {
        let parts = self.parts.filter { $0.name == name }
        guard parts.count <= 1 else { throw .bad(name) }
        guard let part = parts.first else { return nil }
        guard let text = part.text else { throw .bad(name) }
        return text
    }
}

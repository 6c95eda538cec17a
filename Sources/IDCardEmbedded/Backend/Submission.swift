/// A form of layout `single` whose every part is what it must be: one side of one card.
struct Submission {
    /// The side, as the form names it.
    enum DocumentType: String, Codable {
        case front = "IDCARD_FRONT_APP"
        case back = "IDCARD_BACK_APP"

        /// The file name that goes with it.
        var filename: String {
            switch self {
            case .front: "IDFrontImage.jpg"
            case .back: "IDBackImage.jpg"
            }
        }
    }

    /// Why a form is refused; the text names fields, never values.
    struct Refusal: Error {
        enum Reason {
            case layout, field, image
        }

        let reason: Reason
        let text: String
    }

    /// Characters of a field's value at most.
    static let maximumFieldLength = 200
    private static let fieldNames = ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE"]

    let token: String
    let userNumber: String
    let businessNumber: String
    let documentType: DocumentType
    let image: [UInt8]

    /// Checks a form.
    ///
    /// - Parameters:
    ///   - form: The form as received.
    ///   - businessTypes: The values of BUSINESSTYPE that are good.
    /// - Throws: ``Refusal``, the first that applies: the layout, then the fields in order, then the file.
    init(checking form: ReceivedForm, businessTypes: Set<String>) throws(Refusal) {
        try Self.checkLayout(form.parts)
        var values: [String] = []
        for (name, part) in zip(Self.fieldNames, form.parts) { values.append(try Self.value(of: part, named: name)) }
        guard businessTypes.contains(values[2]) else {
            throw Refusal(reason: .field, text: "BUSINESSTYPE is none of the types taken here")
        }
        guard let documentType = DocumentType(rawValue: values[4]) else {
            throw Refusal(reason: .field, text: "DOCTYPE is neither IDCARD_FRONT_APP nor IDCARD_BACK_APP")
        }
        let file = form.parts[5]
        try Self.checkImage(file, documentType: documentType)
        self.token = values[0]
        self.userNumber = values[1]
        self.businessNumber = values[3]
        self.documentType = documentType
        self.image = file.body
    }

    private static func checkLayout(_ parts: [ReceivedForm.Part]) throws(Refusal) {
        let expected = self.fieldNames + ["FILE"]
        for (position, name) in expected.enumerated() {
            guard position < parts.count, parts[position].name == name else {
                throw Refusal(reason: .layout, text: "part \(position + 1) is not \(name)")
            }
            let isFile = parts[position].filename != nil
            guard isFile == (name == "FILE") else {
                throw Refusal(reason: .layout, text: isFile ? "\(name) is a file, not text" : "FILE has no file name")
            }
        }
        guard parts.count == expected.count else {
            throw Refusal(reason: .layout, text: "there are \(parts.count) parts instead of \(expected.count)")
        }
    }

    private static func value(of part: ReceivedForm.Part, named name: String) throws(Refusal) -> String {
        guard let value = part.text else { throw Refusal(reason: .field, text: "\(name) is not UTF-8") }
        guard !value.isEmpty else { throw Refusal(reason: .field, text: "\(name) is empty") }
        guard value.count <= self.maximumFieldLength else {
            throw Refusal(reason: .field, text: "\(name) is longer than \(self.maximumFieldLength) characters")
        }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
            value.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else {
            throw Refusal(reason: .field, text: "\(name) holds control characters or only blanks")
        }
        return value
    }

    private static func checkImage(_ file: ReceivedForm.Part, documentType: DocumentType) throws(Refusal) {
        guard file.filename == documentType.filename else {
            throw Refusal(reason: .image, text: "FILE is not named \(documentType.filename)")
        }
        guard file.contentType?.lowercased() == "image/jpeg" else {
            throw Refusal(reason: .image, text: "FILE is not of the type image/jpeg")
        }
        // SOI and a first marker, EOI at the very end: what is cut in transit loses its end.
        guard file.body.count > 4, file.body.starts(with: [0xFF, 0xD8, 0xFF]), file.body.suffix(2) == [0xFF, 0xD9]
        else {
            throw Refusal(reason: .image, text: "FILE is not a whole JPEG")
        }
    }
}

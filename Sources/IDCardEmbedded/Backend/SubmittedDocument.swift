/// One side of one card whose every part is what it must be.
struct SubmittedDocument {
    /// The side, as the form names it.
    enum Kind: String, Codable {
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

    /// The names of its parts, in order.
    static let fieldNames = ["BUSINESSTYPE", "BUSINESSNO", "DOCTYPE", "FILE"]

    let businessNumber: String
    let kind: Kind
    let image: [UInt8]

    /// Checks the four parts of a document.
    ///
    /// - Parameters:
    ///   - parts: The parts, in order; the names are right.
    ///   - businessTypes: The values of BUSINESSTYPE that are good.
    /// - Throws: ``Submission/Refusal``, the first that applies: the fields in order, then the file.
    init(checking parts: [ReceivedForm.Part], businessTypes: Set<String>) throws(Submission.Refusal) {
        var values: [String] = []
        for (name, part) in zip(Self.fieldNames.dropLast(), parts) {
            values.append(try FieldCheck.value(of: part, named: name))
        }
        guard businessTypes.contains(values[0]) else {
            throw Submission.Refusal(reason: .field, text: "BUSINESSTYPE is none of the types taken here")
        }
        guard let kind = Kind(rawValue: values[2]) else {
            throw Submission.Refusal(
                reason: .field,
                text: "DOCTYPE is neither IDCARD_FRONT_APP nor IDCARD_BACK_APP"
            )
        }
        try Self.checkImage(parts[3], kind: kind)
        self.businessNumber = values[1]
        self.kind = kind
        self.image = parts[3].body
    }

    private static func checkImage(_ file: ReceivedForm.Part, kind: Kind) throws(Submission.Refusal) {
        guard file.filename == kind.filename else {
            throw Submission.Refusal(reason: .image, text: "FILE is not named \(kind.filename)")
        }
        guard file.contentType?.lowercased() == "image/jpeg" else {
            throw Submission.Refusal(reason: .image, text: "FILE is not of the type image/jpeg")
        }
        // SOI and a first marker, EOI at the very end: what is cut in transit loses its end.
        guard file.body.count > 4, file.body.starts(with: [0xFF, 0xD8, 0xFF]), file.body.suffix(2) == [0xFF, 0xD9]
        else {
            throw Submission.Refusal(reason: .image, text: "FILE is not a whole JPEG")
        }
    }
}

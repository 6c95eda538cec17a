import FoundationEssentials

/// An upload whose parts are in the order of one of the layouts.
///
/// | layout | parts |
/// |---|---|
/// | one document | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE |
/// | `application` | the same, then DOCTYPE, FILE for the second document of the same BUSINESSNO |
/// | `batch` | the same, then BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE for each further document |
struct Submission {
    let token: String
    let userNumber: String
    /// Whether all documents are stored or none; else each gets its own answer.
    let isApplication: Bool
    /// The documents in order, including refused ones.
    let documents: [Result<SubmittedDocument, UploadAnswer>]

    /// Checks the parts of an upload as they were received.
    ///
    /// - Throws: the first refusal that applies: the order of the parts, then TOKEN and USERNO.
    init(checking parts: [ReceivedForm.Part]) throws(UploadAnswer) {
        let (isApplication, names) = try Self.layout(of: parts)
        try Self.checkOrder(of: parts, against: names)
        self.isApplication = isApplication
        self.token = try parts[0].fieldValue()
        self.userNumber = try parts[1].fieldValue()
        // The common fields of an application's documents occur only once.
        let common = isApplication ? parts[2..<4] : []
        let remaining = parts[(2 + common.count)...]
        let length = SubmittedDocument.fieldNames.count - common.count
        var documents = stride(from: remaining.startIndex, to: remaining.endIndex, by: length).map { start in
            Result { () throws(UploadAnswer) in
                try SubmittedDocument(checking: Array(common + remaining[start..<start + length]))
            }
        }
        if isApplication, documents.count == 2, case .success(let first) = documents[0],
            case .success(let second) = documents[1], first.kind == second.kind
        {
            documents[1] = .failure(UploadAnswer(.fieldInvalid, "DOCTYPE is that of the document before"))
        }
        self.documents = documents
    }

    /// Returns the required names of the parts; the parts after the first document determine the layout.
    private static func layout(
        of parts: [ReceivedForm.Part]
    ) throws(UploadAnswer) -> (isApplication: Bool, names: [String]) {
        let names = SubmittedDocument.fieldNames
        let first = ["TOKEN", "USERNO"] + names
        guard parts.count > first.count else { return (true, first) }
        guard let start = names.firstIndex(of: parts[first.count].name), start.isMultiple(of: 2) else {
            throw UploadAnswer(.layoutInvalid, "part \(first.count + 1) begins no further document")
        }
        let (isApplication, repeated) = (start > 0, names[start...])
        let further = parts.count - first.count
        guard further.isMultiple(of: repeated.count), !isApplication || further == repeated.count else {
            throw UploadAnswer(.layoutInvalid, "there are \(parts.count) parts, which makes no whole documents")
        }
        return (isApplication, first + (0..<further / repeated.count).flatMap { _ in repeated })
    }

    private static func checkOrder(of parts: [ReceivedForm.Part], against names: [String]) throws(UploadAnswer) {
        for (position, name) in names.enumerated() {
            guard position < parts.count, parts[position].name == name else {
                throw UploadAnswer(.layoutInvalid, "part \(position + 1) is not \(name)")
            }
            let isFile = parts[position].filename != nil
            guard isFile == (name == "FILE") else {
                throw UploadAnswer(.layoutInvalid, isFile ? "\(name) is a file, not text" : "FILE has no file name")
            }
        }
    }
}

/// One side of one card, with valid parts.
struct SubmittedDocument {
    /// The side, as the form names it.
    enum Kind: String, Codable {
        case front = "IDCARD_FRONT_APP"
        case back = "IDCARD_BACK_APP"

        var filename: String { self == .front ? "IDFrontImage.jpg" : "IDBackImage.jpg" }
    }

    /// The names of its parts, in order: an application repeats the last two, a batch all.
    static let fieldNames = ["BUSINESSTYPE", "BUSINESSNO", "DOCTYPE", "FILE"]

    let businessNumber: String
    let kind: Kind
    let image: Data

    /// Checks the four parts of a document, in order; their names are already checked.
    ///
    /// - Throws: the first refusal that applies: the fields in order, then the file.
    init(checking parts: [ReceivedForm.Part]) throws(UploadAnswer) {
        let (type, number) = (try parts[0].fieldValue(), try parts[1].fieldValue())
        let document = try parts[2].fieldValue()
        guard type == "LOAN_APPLY" else { throw UploadAnswer(.fieldInvalid, "BUSINESSTYPE is not LOAN_APPLY") }
        guard let kind = Kind(rawValue: document) else {
            throw UploadAnswer(.fieldInvalid, "DOCTYPE is neither IDCARD_FRONT_APP nor IDCARD_BACK_APP")
        }
        self.businessNumber = number
        self.kind = kind
        self.image = try Self.image(parts[3], named: kind.filename)
    }

    private static func image(_ file: ReceivedForm.Part, named name: String) throws(UploadAnswer) -> Data {
        guard file.filename == name else { throw UploadAnswer(.imageInvalid, "FILE is not named \(name)") }
        guard file.contentType?.lowercased() == "image/jpeg" else {
            throw UploadAnswer(.imageInvalid, "FILE is not of the type image/jpeg")
        }
        // SOI and a first marker, EOI at the very end: a file truncated in transit lacks EOI.
        let isWhole = file.body.count > 4 && file.body.starts(with: [0xFF, 0xD8, 0xFF])
        guard isWhole, file.body.suffix(2).elementsEqual([0xFF, 0xD9]) else {
            throw UploadAnswer(.imageInvalid, "FILE is not a whole JPEG")
        }
        return file.body
    }
}

extension ReceivedForm.Part {
    /// Returns the value of a text part, or throws a refusal that names the part.
    fileprivate func fieldValue() throws(UploadAnswer) -> String {
        func refusal(_ text: String) -> UploadAnswer { UploadAnswer(.fieldInvalid, "\(self.name) \(text)") }
        guard let value = self.text else { throw refusal("is not UTF-8") }
        guard !value.isEmpty else { throw refusal("is empty") }
        guard value.count <= Limits.fieldCharacters else {
            throw refusal("is longer than \(Limits.fieldCharacters) characters")
        }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
            value.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else { throw refusal("holds control characters or only blanks") }
        return value
    }
}

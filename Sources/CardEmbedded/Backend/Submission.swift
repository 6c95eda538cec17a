import FoundationEssentials

/// An upload whose parts stand in the order of one of the layouts.
///
/// | layout | parts |
/// |---|---|
/// | one document | TOKEN, USERNO, BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE |
/// | `application` | the same, then DOCTYPE, FILE for the second document of the same BUSINESSNO |
/// | `batch` | the same, then BUSINESSTYPE, BUSINESSNO, DOCTYPE, FILE for each further document |
struct Submission {
    /// How several documents hang together.
    enum Layout {
        /// One document, or several of one BUSINESSNO: all are stored or none.
        case application
        /// Each document is answered for itself.
        case batch
    }

    /// Why an upload, or a document of it, is refused; the text names fields, never values.
    struct Refusal: Error {
        let code: ReplyCode
        let text: String
    }

    let token: String
    let userNumber: String
    let layout: Layout
    /// The documents in order, those that are refused too.
    let documents: [Result<SubmittedDocument, Refusal>]

    /// Checks the parts of an upload as they were received.
    ///
    /// - Throws: ``Refusal``, the first that applies: the order of the parts, then TOKEN and USERNO.
    init(checking parts: [ReceivedForm.Part]) throws(Refusal) {
        let names = try Self.layoutNames(of: parts)
        try Self.checkOrder(of: parts, against: names.all)
        self.layout = names.layout
        self.token = try parts[0].fieldValue(named: names.all[0])
        self.userNumber = try parts[1].fieldValue(named: names.all[1])
        let common = names.layout == .application ? Array(parts[2..<4]) : []
        let rest = names.layout == .application ? parts[4...] : parts[2...]
        let length = SubmittedDocument.fieldNames.count - common.count
        var documents: [Result<SubmittedDocument, Refusal>] = stride(
            from: rest.startIndex,
            to: rest.endIndex,
            by: length
        ).map { start in
            Result { () throws(Refusal) in
                try SubmittedDocument(checking: common + rest[start..<start + length])
            }
        }
        if names.layout == .application, documents.count == 2, case .success(let first) = documents[0],
            case .success(let second) = documents[1], first.kind == second.kind
        {
            documents[1] = .failure(Refusal(code: .fieldInvalid, text: "DOCTYPE is that of the document before"))
        }
        self.documents = documents
    }

    /// The names the parts must have: what follows the first document tells the layout.
    private static func layoutNames(of parts: [ReceivedForm.Part]) throws(Refusal) -> (layout: Layout, all: [String]) {
        let names = SubmittedDocument.fieldNames
        let first = ["TOKEN", "USERNO"] + names
        guard parts.count > first.count else { return (.application, first) }
        let layout: Layout
        switch parts[first.count].name {
        case names[0]: layout = .batch
        case names[2]: layout = .application
        default:
            throw Refusal(code: .layoutInvalid, text: "part \(first.count + 1) begins no further document")
        }
        let repeated = layout == .batch ? names : Array(names[2...])
        let further = parts.count - first.count
        guard further.isMultiple(of: repeated.count), layout == .batch || further == repeated.count else {
            throw Refusal(code: .layoutInvalid, text: "there are \(parts.count) parts, which makes no whole documents")
        }
        return (layout, first + (0..<further / repeated.count).flatMap { _ in repeated })
    }

    private static func checkOrder(of parts: [ReceivedForm.Part], against names: [String]) throws(Refusal) {
        for (position, name) in names.enumerated() {
            guard position < parts.count, parts[position].name == name else {
                throw Refusal(code: .layoutInvalid, text: "part \(position + 1) is not \(name)")
            }
            let isFile = parts[position].filename != nil
            guard isFile == (name == "FILE") else {
                throw Refusal(
                    code: .layoutInvalid,
                    text: isFile ? "\(name) is a file, not text" : "FILE has no file name"
                )
            }
        }
    }
}

/// One side of one card whose every part is what it must be.
struct SubmittedDocument {
    /// The side, as the form names it.
    enum Kind: String {
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

    private static let businessType = "LOAN_APPLY"

    let businessNumber: String
    let kind: Kind
    let image: Data

    /// Checks the four parts of a document, in order; their names are right.
    ///
    /// - Throws: ``Submission/Refusal``, the first that applies: the fields in order, then the file.
    init(checking parts: [ReceivedForm.Part]) throws(Submission.Refusal) {
        var values: [String] = []
        for (name, part) in zip(Self.fieldNames.dropLast(), parts) {
            values.append(try part.fieldValue(named: name))
        }
        guard values[0] == Self.businessType else {
            throw Submission.Refusal(code: .fieldInvalid, text: "BUSINESSTYPE is not \(Self.businessType)")
        }
        guard let kind = Kind(rawValue: values[2]) else {
            throw Submission.Refusal(
                code: .fieldInvalid,
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
            throw Submission.Refusal(code: .imageInvalid, text: "FILE is not named \(kind.filename)")
        }
        guard file.contentType?.lowercased() == "image/jpeg" else {
            throw Submission.Refusal(code: .imageInvalid, text: "FILE is not of the type image/jpeg")
        }
        // SOI and a first marker, EOI at the very end: what is cut in transit loses its end.
        let isWhole = file.body.count > 4 && file.body.starts(with: [0xFF, 0xD8, 0xFF])
        guard isWhole, file.body.suffix(2).elementsEqual([0xFF, 0xD9]) else {
            throw Submission.Refusal(code: .imageInvalid, text: "FILE is not a whole JPEG")
        }
    }
}

extension ReceivedForm.Part {
    /// The value of a text part.
    ///
    /// - Throws: ``Submission/Refusal`` with the code `fieldInvalid`.
    fileprivate func fieldValue(named name: String) throws(Submission.Refusal) -> String {
        func refusal(_ text: String) -> Submission.Refusal { Submission.Refusal(code: .fieldInvalid, text: text) }
        guard let value = self.text else { throw refusal("\(name) is not UTF-8") }
        guard !value.isEmpty else { throw refusal("\(name) is empty") }
        guard value.count <= Limits.fieldCharacters else {
            throw refusal("\(name) is longer than \(Limits.fieldCharacters) characters")
        }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
            value.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else {
            throw refusal("\(name) holds control characters or only blanks")
        }
        return value
    }
}

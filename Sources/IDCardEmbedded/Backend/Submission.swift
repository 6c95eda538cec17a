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
        enum Reason {
            case layout, field, image
        }

        let reason: Reason
        let text: String
    }

    let token: String
    let userNumber: String
    let layout: Layout
    /// The documents in order, those that are refused too.
    let documents: [Result<SubmittedDocument, Refusal>]

    /// Checks an upload.
    ///
    /// - Parameters:
    ///   - parts: The parts as received.
    ///   - businessTypes: The values of BUSINESSTYPE that are good.
    /// - Throws: ``Refusal``, the first that applies: the order of the parts, then TOKEN and USERNO.
    init(checking parts: [ReceivedForm.Part], businessTypes: Set<String>) throws(Refusal) {
        let names = try Self.layoutNames(of: parts)
        try Self.checkOrder(of: parts, against: names.all)
        self.layout = names.layout
        self.token = try FieldCheck.value(of: parts[0], named: names.all[0])
        self.userNumber = try FieldCheck.value(of: parts[1], named: names.all[1])
        let common = names.layout == .application ? Array(parts[2..<4]) : []
        let rest = names.layout == .application ? parts[4...] : parts[2...]
        let length = SubmittedDocument.fieldNames.count - common.count
        var documents: [Result<SubmittedDocument, Refusal>] = stride(
            from: rest.startIndex,
            to: rest.endIndex,
            by: length
        ).map { start in
            Result { () throws(Refusal) in
                try SubmittedDocument(checking: common + rest[start..<start + length], businessTypes: businessTypes)
            }
        }
        if names.layout == .application, documents.count == 2, case .success(let first) = documents[0],
            case .success(let second) = documents[1], first.kind == second.kind
        {
            documents[1] = .failure(Refusal(reason: .field, text: "DOCTYPE is that of the document before"))
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
            throw Refusal(reason: .layout, text: "part \(first.count + 1) begins no further document")
        }
        let repeated = layout == .batch ? names : Array(names[2...])
        let further = parts.count - first.count
        guard further.isMultiple(of: repeated.count), layout == .batch || further == repeated.count else {
            throw Refusal(reason: .layout, text: "there are \(parts.count) parts, which makes no whole documents")
        }
        return (layout, first + (0..<further / repeated.count).flatMap { _ in repeated })
    }

    private static func checkOrder(of parts: [ReceivedForm.Part], against names: [String]) throws(Refusal) {
        for (position, name) in names.enumerated() {
            guard position < parts.count, parts[position].name == name else {
                throw Refusal(reason: .layout, text: "part \(position + 1) is not \(name)")
            }
            let isFile = parts[position].filename != nil
            guard isFile == (name == "FILE") else {
                throw Refusal(reason: .layout, text: isFile ? "\(name) is a file, not text" : "FILE has no file name")
            }
        }
    }
}

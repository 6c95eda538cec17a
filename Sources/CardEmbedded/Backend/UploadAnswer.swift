/// The values of RETCODE, all with HTTP status 200. Anything a client cannot read at all is an HTTP error instead.
///
/// | code | meaning | what the sender does |
/// |---|---|---|
/// | `000000` | stored | nothing more |
/// | `000001` | stored before for this side and business number | takes it as success |
/// | `100001` | TOKEN is no longer good; nothing stored | sends with a new TOKEN and key |
/// | `100002` | TOKEN never was good | corrects its configuration |
/// | `200001` | the parts are not those of a layout in their order | is wrong |
/// | `200002` | a field has a value that is not allowed | is wrong |
/// | `200003` | FILE is not the JPEG that DOCTYPE announces | is wrong |
/// | `200010` | some documents were stored and others refused: see ITEMS | looks into ITEMS |
/// | `900001` | in ITEMS: not stored, because another document was refused | sends it again |
///
/// An upload of several documents is answered with ITEMS, too: one code for each, in their order.
enum ReplyCode: String {
    case success = "000000"
    case alreadyExists = "000001"
    case tokenExpired = "100001"
    case tokenUnknown = "100002"
    case layoutInvalid = "200001"
    case fieldInvalid = "200002"
    case imageInvalid = "200003"
    case partlyRefused = "200010"
    case notApplied = "900001"
}

/// A business answer to an upload.
package struct UploadAnswer: Codable, Sendable, Equatable {
    /// The answer for one document of an upload.
    package struct Item: Codable, Sendable, Equatable {
        /// RETCODE.
        package let code: String
        /// RETMSG.
        package let message: String

        private enum CodingKeys: String, CodingKey {
            case code = "RETCODE"
            case message = "RETMSG"
        }

        init(_ code: ReplyCode, _ message: String) {
            self.code = code.rawValue
            self.message = message
        }
    }

    /// RETCODE.
    package let code: String
    /// RETMSG.
    package let message: String
    /// ITEMS, in the order of the upload; `nil` for an upload of one document, and where no document was looked at.
    package let items: [Item]?

    private enum CodingKeys: String, CodingKey {
        case code = "RETCODE"
        case message = "RETMSG"
        case items = "ITEMS"
    }

    init(code: String, message: String, items: [Item]?) {
        self.code = code
        self.message = message
        self.items = items
    }

    init(_ code: ReplyCode, _ message: String, items: [Item]? = nil) {
        self.init(code: code.rawValue, message: message, items: items)
    }

    /// The answer of a document's own, for the upload.
    private init(_ item: Item, items: [Item]? = nil) {
        self.init(code: item.code, message: item.message, items: items)
    }
}

/// What is to become of one document of an upload.
enum Judgement {
    /// It is stored, with this digest.
    case new(SubmittedDocument, imageDigest: String)
    /// It is stored already.
    case known
    case refused(Submission.Refusal)

    var isRefused: Bool { if case .refused = self { true } else { false } }

    fileprivate var item: UploadAnswer.Item {
        switch self {
        case .new: UploadAnswer.Item(.success, "success")
        case .known: UploadAnswer.Item(.alreadyExists, "this document is stored already")
        case .refused(let refusal): UploadAnswer.Item(refusal.code, refusal.text)
        }
    }
}

extension UploadAnswer {
    /// The answer to documents judged one by one: for one document its own, for several one for each and one for all.
    init(to judgements: [Judgement]) {
        let items = judgements.map(\.item)
        guard items.count > 1 else {
            self.init(items[0])
            return
        }
        let refused = zip(items, judgements).filter(\.1.isRefused).map(\.0)
        if let first = refused.first {
            if refused.count == items.count {
                self.init(first, items: items)
            } else {
                self.init(.partlyRefused, "see ITEMS", items: items)
            }
        } else if items.contains(where: { $0.code == ReplyCode.success.rawValue }) {
            self.init(.success, "success", items: items)
        } else {
            self.init(.alreadyExists, "these documents are stored already", items: items)
        }
    }

    /// The answer to an application of which a document was refused: the others are not stored either.
    init(toRefusedApplication judgements: [Judgement]) {
        let items = judgements.map { judgement in
            if case .new = judgement {
                return Item(.notApplied, "not stored: the other document was refused")
            }
            return judgement.item
        }
        let first = zip(items, judgements).first(where: \.1.isRefused)?.0 ?? items[0]
        self.init(first, items: items)
    }
}

/// A business answer: to an upload, or to one document of it. A refusal is thrown, too; its text names fields, never
/// values.
///
/// All answers have the HTTP status 200. An upload that cannot be parsed gets an HTTP error instead.
struct UploadAnswer: Error, Codable, Equatable {
    /// | code | meaning | what the client does |
    /// |---|---|---|
    /// | `000000` | stored | nothing more |
    /// | `000001` | stored before for this side and business number | treats it as success |
    /// | `100001` | TOKEN is no longer good; nothing stored | sends with a new TOKEN and key |
    /// | `100002` | TOKEN never was good | corrects its configuration |
    /// | `200001` | the parts are not those of a layout in their order | is wrong |
    /// | `200002` | a field has a value that is not allowed | is wrong |
    /// | `200003` | FILE is not the JPEG that DOCTYPE announces | is wrong |
    /// | `200010` | some documents were stored and others refused: see ITEMS | checks ITEMS |
    /// | `900001` | in ITEMS: not stored, because another document was refused | sends it again |
    enum Code: String, Codable {
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

    let code: Code
    let message: String
    /// ITEMS: one answer for each document, in the order of the upload; `nil` for an upload of one document, and if no
    /// document was checked.
    let items: [UploadAnswer]?

    private enum CodingKeys: String, CodingKey {
        case code = "RETCODE"
        case message = "RETMSG"
        case items = "ITEMS"
    }

    init(_ code: Code, _ message: String, items: [UploadAnswer]? = nil) {
        self.code = code
        self.message = message
        self.items = items
    }

    /// Whether a document with this answer was refused.
    var isRefusal: Bool { self.code != .success && self.code != .alreadyExists }

    /// Creates the answer for separately checked documents: the answer of the only document, or a common answer with
    /// ITEMS.
    init(to items: [UploadAnswer]) {
        let refused = items.filter(\.isRefusal)
        if items.count == 1 {
            self = items[0]
        } else if let first = refused.first {
            let areAllRefused = refused.count == items.count
            self.init(
                areAllRefused ? first.code : .partlyRefused,
                areAllRefused ? first.message : "see ITEMS",
                items: items
            )
        } else if items.contains(where: { $0.code == .success }) {
            self.init(.success, "success", items: items)
        } else {
            self.init(.alreadyExists, "these documents are stored already", items: items)
        }
    }

    /// Creates the answer to an application with a refused document, of which nothing is stored; `nil` if none was
    /// refused.
    init?(toRefusedApplication items: [UploadAnswer]) {
        guard items.count > 1, let first = items.first(where: \.isRefusal) else { return nil }
        let others = items.map { item in
            item.code == .success ? UploadAnswer(.notApplied, "not stored: the other document was refused") : item
        }
        self.init(first.code, first.message, items: others)
    }
}

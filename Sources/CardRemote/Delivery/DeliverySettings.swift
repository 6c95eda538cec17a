package import CardModel

/// The backend that documents are delivered to, and the reading of its answers (`delivery.*`).
package struct DeliverySettings: Sendable {
    package var endpoint: EndpointSettings
    /// How cards are joined into deliveries (`delivery.layout`).
    package var layout: DeliveryLayoutKind = .single
    /// The format of the body of new deliveries (`delivery.body`); existing deliveries keep their format.
    package var body = DeliveryBody.multipart
    /// The maximum number of cards of a delivery in the layout `batch` (`delivery.batch_max_cards`).
    package var batchMaximumCards = 20
    package var token: TokenSource
    /// The account of cards without one (`delivery.user_no`).
    package var userNumber: Redacted<String>?
    package var form = FormNames()
    /// The meanings of the RETCODEs (`delivery.retcode.*`).
    package var retcodes = RetcodeTable()
    /// The names of the reply's fields (`delivery.reply.*`).
    package var reply = ReplyNames()
    /// The encryption of replies (`delivery.reply.encryption`); `nil` if there is none.
    package var encryption: ReplyEncryption?

    package init(endpoint: EndpointSettings, token: TokenSource) {
        self.endpoint = endpoint
        self.token = token
    }

    /// All settings that affect the reading of answers, as a text that changes with them.
    var terms: Redacted<String> {
        let lists = self.retcodes.lists.map { $0.codes.sorted() }
        let names = [self.reply.code, self.reply.message, self.reply.items, self.retcodes.unlisted.rawValue]
        return Redacted("\(self.endpoint.terms.reveal()) \(self.encryption?.terms ?? []) \(names) \(lists)")
    }
}

/// The names and constants of the backend's form, which only the backend's own documentation defines.
package struct FormNames: Hashable, Sendable {
    /// The part that carries the TOKEN (`delivery.fields.token`).
    package var token = "TOKEN"
    /// The part that carries the user account (`delivery.fields.user_no`).
    package var userNumber = "USERNO"
    /// The part that carries the kind of business (`delivery.fields.business_type`).
    package var businessType = "BUSINESSTYPE"
    /// The part that carries the business number (`delivery.fields.business_no`).
    package var businessNumber = "BUSINESSNO"
    /// The part that carries the kind of document (`delivery.fields.doctype`).
    package var documentType = "DOCTYPE"
    /// The file part (`delivery.fields.file`).
    package var file = "FILE"
    /// The kind of business (`delivery.business_type`).
    package var businessTypeValue = "LOAN_APPLY"
    /// The kind of document of a front (`delivery.doctype.front`).
    package var frontDocumentType = "IDCARD_FRONT_APP"
    /// The kind of document of a back (`delivery.doctype.back`).
    package var backDocumentType = "IDCARD_BACK_APP"
    /// The file name of a front (`delivery.filename.front`).
    package var frontFilename = "IDFrontImage.jpg"
    /// The file name of a back (`delivery.filename.back`).
    package var backFilename = "IDBackImage.jpg"
    /// Further fields with constant values, in order; each occurs once per form.
    package var extra: [DeliveryPart] = []

    package init() {}
}

package struct ReplyNames: Hashable, Sendable {
    /// The field with the code (`delivery.reply.code`).
    package var code = "RETCODE"
    /// The field with the text (`delivery.reply.message`).
    package var message = "RETMSG"
    /// The field with one answer per card, in the order of the form (`delivery.reply.items`).
    package var items = "ITEMS"

    package init() {}
}

extension RetcodeTable {
    /// The statuses that ``success`` can hold: the backend accepted the document without a code.
    package static let statusesOfSuccess: Set<String> = ["http_200", "http_201", "http_202", "http_204"]

    /// Whether an entry of a list is a status, `http_NNN`.
    package static func isStatus(_ entry: String) -> Bool { entry.hasPrefix("http_") }

    /// Whether an entry is a status that ``tokenExpired`` can hold: a 4xx that would stop delivery, except 407.
    package static func canMeanToken(_ entry: String) -> Bool {
        Int(entry.dropFirst("http_".count)).map { status in
            (400..<500).contains(status) && status != 407 && BackendMeaning(status: status).isStop
        } ?? false
    }
}

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

    init(code: String, message: String, items: [Item]? = nil) {
        self.code = code
        self.message = message
        self.items = items
    }
}

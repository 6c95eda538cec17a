extension BusinessBackendClient {
    /// Where documents are delivered, and how the answers read.
    package struct Configuration: Hashable, Sendable {
        /// The full URL (`delivery.url`).
        package var url: String
        /// The time for one attempt, reply included (`delivery.timeout`).
        package var timeout: Duration
        /// What the RETCODEs mean (`delivery.retcode.*`).
        package var retcodes: RetcodeTable
        /// The names of the reply's fields (`delivery.reply.names.*`).
        package var replyNames: ReplyNames
        /// What new deliveries are sent as (`delivery.body`); one that exists stays what it was formed as.
        package var body: UploadBody
        /// The encryption of the replies (`delivery.reply.encryption`); `nil` if there is none.
        package var replyEncryption: ReplyEncryption?

        /// Describes a backend.
        package init(
            url: String,
            timeout: Duration = .seconds(60),
            retcodes: RetcodeTable = RetcodeTable(),
            replyNames: ReplyNames = ReplyNames(),
            body: UploadBody = .multipart,
            replyEncryption: ReplyEncryption? = nil
        ) {
            self.url = url
            self.timeout = timeout
            self.retcodes = retcodes
            self.replyNames = replyNames
            self.body = body
            self.replyEncryption = replyEncryption
        }

        /// Checks that a layout goes with the kind of body.
        ///
        /// - Throws: ``DeliveryError`` with the code `unsupported_layout`.
        package func check(_ layout: DeliveryLayout.Kind) throws(DeliveryError) {
            guard case .octetStream = self.body, layout != .single else { return }
            throw DeliveryError(
                .unsupportedLayout,
                "delivery.layout \(layout.rawValue) needs forms: set delivery.body to multipart, or use single"
            )
        }
    }
}

extension BusinessBackendClient {
    /// Where documents are delivered, and how the answers read.
    package struct Configuration: Hashable, Sendable {
        /// The full URL (`delivery.url`).
        package var url: String
        /// The time for one attempt, reply included (`delivery.timeout`).
        package var timeout: Duration
        /// What the RETCODEs mean (`delivery.retcode.*`).
        package var retcodes: RetcodeTable
        /// The names of the reply's fields.
        package var replyNames: ReplyNames

        /// Describes a backend.
        package init(
            url: String,
            timeout: Duration = .seconds(60),
            retcodes: RetcodeTable = RetcodeTable(),
            replyNames: ReplyNames = ReplyNames()
        ) {
            self.url = url
            self.timeout = timeout
            self.retcodes = retcodes
            self.replyNames = replyNames
        }
    }
}

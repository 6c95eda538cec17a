extension EmbeddedBackend {
    /// How the built-in business backend listens, what it accepts and where it keeps it.
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one, see
        /// ``EmbeddedBackend/init(configuration:logger:onRunning:now:)``.
        package var port = 0
        /// The folder for the documents (`documents/`), `ledger.jsonl` and `refusals.jsonl`. Made when missing.
        package var folder: String
        /// The path that takes uploads.
        package var uploadPath = "/upload"
        /// The values of TOKEN that are good; none means that every TOKEN is, until it is expired.
        package var tokens: [String] = []
        /// After so many accepted documents the tokens used so far expire, once; `nil` means never.
        package var requiresNewTokenAfter: Int?
        /// The values of BUSINESSTYPE that are good.
        package var businessTypes: Set<String> = ["LOAN_APPLY"]
        /// The codes of the replies.
        package var replyCodes = ReplyCodes()
        /// What replies are written in.
        package var replyFormat = ReplyFormat.json
        /// How replies are encrypted; `nil` for replies in the clear.
        package var replyEncryption: ReplyEncryption?
        /// What stands before a field's name in the headers of a raw upload.
        package var rawHeaderPrefix = "X-"
        /// What a form may be at most.
        package var formLimits = ReceivedForm.Limits()
        /// The bytes of a request's header lines at most, in all and each.
        package var headerBytes = 16_384
        /// How long a body may take to arrive.
        package var bodyTimeout: Duration = .seconds(60)
        /// How long a connection may be idle.
        package var idleTimeout: Duration = .seconds(30)

        /// Describes a backend on a free port of the loopback interface.
        ///
        /// - Parameter folder: Where it keeps what it accepts.
        package init(folder: String) {
            self.folder = folder
        }
    }
}

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

    /// The values of RETCODE, all with HTTP status 200. Anything a client cannot read at all is an HTTP error instead.
    ///
    /// | code | default | meaning | what the sender does |
    /// |---|---|---|---|
    /// | ``success`` | `000000` | stored | nothing more |
    /// | ``alreadyExists`` | `000001` | stored before for this side and business number | takes it as success |
    /// | ``tokenExpired`` | `100001` | TOKEN is no longer good; nothing stored | sends with a new TOKEN and key |
    /// | ``tokenUnknown`` | `100002` | TOKEN never was good | corrects its configuration |
    /// | ``layoutInvalid`` | `200001` | the parts are not those of layout `single` in their order | is wrong |
    /// | ``fieldInvalid`` | `200002` | a field has a value that is not allowed | is wrong |
    /// | ``imageInvalid`` | `200003` | FILE is not the JPEG that DOCTYPE announces | is wrong |
    package struct ReplyCodes: Sendable {
        /// Stored.
        package var success = "000000"
        /// Stored before, under another key.
        package var alreadyExists = "000001"
        /// The TOKEN is no longer good.
        package var tokenExpired = "100001"
        /// The TOKEN never was good.
        package var tokenUnknown = "100002"
        /// Parts are missing, too many, or in another order.
        package var layoutInvalid = "200001"
        /// A field's value is not allowed.
        package var fieldInvalid = "200002"
        /// The file is not the JPEG announced.
        package var imageInvalid = "200003"

        /// The defaults.
        package init() {}
    }
}

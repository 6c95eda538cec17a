package import IDCardCore

extension AppConfiguration {
    /// Keys under `delivery`.
    package struct Delivery: Hashable, Sendable {
        /// Cards per request.
        package enum Layout: String, CaseIterable, Sendable {
            /// One card.
            case single
            /// Front and back of one business number.
            case application
            /// Several cards of one user account.
            case batch
        }

        /// The limits of the layout `batch`.
        package struct Batch: Hashable, Sendable {
            /// Most cards of one request (`delivery.batch_max_cards`).
            package let maximumCards: Int
            /// Most bytes of their images (`delivery.batch_max_bytes`).
            package let maximumBytes: Int
            /// How long the first card waits for others (`delivery.batch_wait`).
            package let wait: Duration
        }

        /// Form of the request.
        package enum Body: String, CaseIterable, Sendable {
            /// A multipart form.
            case multipart
            /// The image alone, the other fields as headers.
            case octetStream = "octet-stream"
        }

        /// What follows a call with unknown outcome.
        package enum UnknownPolicy: String, CaseIterable, Sendable {
            /// The same delivery again, with the same key and bytes.
            case resend
            /// A person decides.
            case hold
        }

        /// The RETCODEs by meaning; every other one is a refusal, and several equal ones in a row stop delivery.
        package struct Retcodes: Hashable, Sendable {
            /// Accepted (`delivery.retcode.success`).
            package let success: [String]
            /// The backend had it before (`delivery.retcode.already_exists`).
            package let alreadyExists: [String]
            /// Not applied, a new TOKEN is needed (`delivery.retcode.token_expired`).
            package let tokenExpired: [String]
            /// Try again later (`delivery.retcode.retryable`).
            package let retryable: [String]
            /// Refused, which never concerns other cards (`delivery.retcode.rejected`).
            package let rejected: [String]

            init(_ values: ResolvedConfiguration) {
                self.success = values.require("delivery.retcode.success", \.list)
                self.alreadyExists = values.require("delivery.retcode.already_exists", \.list)
                self.tokenExpired = values.require("delivery.retcode.token_expired", \.list)
                self.retryable = values.require("delivery.retcode.retryable", \.list)
                self.rejected = values.require("delivery.retcode.rejected", \.list)
            }
        }

        /// Address of the business backend (`delivery.url`).
        package let url: EndpointURL?
        /// Cards per request (`delivery.layout`).
        package let layout: Layout
        /// The limits of the layout `batch`.
        package let batch: Batch
        /// Form of the request (`delivery.body`); `octetStream` only with the layout `single`.
        package let body: Body
        /// What stands before the names of the fields in headers (`delivery.header_prefix`).
        package let headerPrefix: String
        /// The names and constants of the form.
        package let form: Form
        /// Keys under `delivery.reply`.
        package let reply: Reply
        /// Where the TOKEN comes from (`delivery.token`, secret, `delivery.token_file` or `delivery.token_command`).
        package let token: TokenSource?
        /// USERNO for cards whose metadata names none (`delivery.user_no`, personal).
        package let userNumber: Redacted<String>?
        /// BUSINESSTYPE (`delivery.business_type`).
        package let businessType: String
        /// Most calls under way at the same time (`delivery.concurrency`).
        package let concurrency: Int
        /// Most calls per second (`delivery.rate`); `nil` without a fixed limit.
        package let rate: Double?
        /// Longest time of one call (`delivery.timeout`).
        package let timeout: Duration
        /// Attempts after which a card is `failed` or `held` (`delivery.max_attempts`).
        package let maximumAttempts: Int
        /// What follows a call with unknown outcome (`delivery.on_unknown`).
        package let onUnknown: UnknownPolicy
        /// How long a back waits for a front that has not come (`delivery.front_wait`).
        package let frontWait: Duration
        /// How long a back whose front was not delivered waits until it is `held` (`delivery.blocked_wait`).
        package let blockedWait: Duration
        /// Keys under `delivery.retcode`.
        package let retcodes: Retcodes
        /// The proxy on the way there (`delivery.proxy`).
        package let proxy: ProxyAddress?
        /// Keys under `delivery.tls`.
        package let tls: TLS

        init(_ values: ResolvedConfiguration) {
            self.url = values.find("delivery.url", \.url)
            self.layout = values.word("delivery.layout")
            self.batch = Batch(
                maximumCards: values.require("delivery.batch_max_cards", \.integer),
                maximumBytes: values.require("delivery.batch_max_bytes", \.integer),
                wait: values.require("delivery.batch_wait", \.duration)
            )
            self.body = values.word("delivery.body")
            self.headerPrefix = values.require("delivery.header_prefix", \.text)
            self.form = Form(values)
            self.reply = Reply(values)
            self.token = TokenSource(values)
            self.userNumber = values.find("delivery.user_no", \.secret)
            self.businessType = values.require("delivery.business_type", \.text)
            self.concurrency = values.require("delivery.concurrency", \.integer)
            self.rate = values.rate("delivery.rate")
            self.timeout = values.require("delivery.timeout", \.duration)
            self.maximumAttempts = values.require("delivery.max_attempts", \.integer)
            self.onUnknown = values.word("delivery.on_unknown")
            self.frontWait = values.require("delivery.front_wait", \.duration)
            self.blockedWait = values.require("delivery.blocked_wait", \.duration)
            self.retcodes = Retcodes(values)
            self.proxy = values.proxy("delivery.proxy")
            self.tls = TLS(values, section: "delivery")
        }
    }
}

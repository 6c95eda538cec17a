package import IDCardCore

extension AppConfiguration {
    /// Keys under `delivery`.
    package struct Delivery: Hashable, Sendable {
        /// Cards per request, as far as this version can.
        package enum Layout: String, CaseIterable, Sendable {
            /// One card.
            case single
        }

        /// What follows a call with unknown outcome.
        package enum UnknownPolicy: String, CaseIterable, Sendable {
            /// The same delivery again, with the same key and bytes.
            case resend
            /// A person decides.
            case hold
        }

        /// The RETCODEs by meaning; every other one is a refusal.
        package struct Retcodes: Hashable, Sendable {
            /// Accepted (`delivery.retcode.success`).
            package let success: [String]
            /// The backend had it before (`delivery.retcode.already_exists`).
            package let alreadyExists: [String]
            /// Not applied, a new TOKEN is needed (`delivery.retcode.token_expired`).
            package let tokenExpired: [String]
            /// Try again later (`delivery.retcode.retryable`).
            package let retryable: [String]
        }

        /// Address of the business backend (`delivery.url`).
        package let url: EndpointURL?
        /// Cards per request (`delivery.layout`).
        package let layout: Layout
        /// Where the TOKEN comes from (`delivery.token`, secret, or `delivery.token_file`).
        package let token: TokenSource?
        /// USERNO for cards whose metadata names none (`delivery.user_no`, personal).
        package let userNumber: Redacted<String>?
        /// BUSINESSTYPE (`delivery.business_type`).
        package let businessType: String
        /// Calls under way at the same time (`delivery.concurrency`).
        package let concurrency: Int
        /// Longest time of one call (`delivery.timeout`).
        package let timeout: Duration
        /// Attempts after which a card is `failed` or `held` (`delivery.max_attempts`).
        package let maximumAttempts: Int
        /// What follows a call with unknown outcome (`delivery.on_unknown`).
        package let onUnknown: UnknownPolicy
        /// How long a back waits for a front that has not come (`delivery.front_wait`).
        package let frontWait: Duration
        /// Keys under `delivery.retcode`.
        package let retcodes: Retcodes

        init(_ values: ResolvedConfiguration) {
            self.url = values.find("delivery.url", \.url)
            self.layout = values.word("delivery.layout")
            self.token =
                values.find("delivery.token", \.secret).map(TokenSource.fixed)
                ?? values.find("delivery.token_file", \.text).map(TokenSource.file)
            self.userNumber = values.find("delivery.user_no", \.secret)
            self.businessType = values.require("delivery.business_type", \.text)
            self.concurrency = values.require("delivery.concurrency", \.integer)
            self.timeout = values.require("delivery.timeout", \.duration)
            self.maximumAttempts = values.require("delivery.max_attempts", \.integer)
            self.onUnknown = values.word("delivery.on_unknown")
            self.frontWait = values.require("delivery.front_wait", \.duration)
            self.retcodes = Retcodes(
                success: values.require("delivery.retcode.success", \.list),
                alreadyExists: values.require("delivery.retcode.already_exists", \.list),
                tokenExpired: values.require("delivery.retcode.token_expired", \.list),
                retryable: values.require("delivery.retcode.retryable", \.list)
            )
        }
    }
}

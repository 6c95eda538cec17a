import Foundation
import IDCardCore
import IDCardDelivery
import IDCardVerification
import OutboundHTTP

/// Which services a pipeline calls and how: the configured ones, or the embedded ones of this process.
struct RemoteServices: Sendable {
    var verification: VerificationClient.Configuration
    /// How the verification service is reached.
    var verificationHTTP: OutboundHTTPClient.Configuration
    var delivery: BusinessBackendClient.Configuration
    /// How the business backend is reached.
    var deliveryHTTP: OutboundHTTPClient.Configuration
    /// The names and constants of the backend's form.
    var names: FormNames
    var token: TokenSource
    var userNumber: Redacted<String>?

    /// The services of the configuration.
    ///
    /// - Throws: `missing` if something is not set, `insecureFile`, `secretUnreadable` or `outOfRange` if a secret cannot
    ///   be used, `certificateUnusable` if a certificate or its key cannot.
    init(_ configuration: AppConfiguration) throws(ConfigurationError) {
        let remotes = try configuration.remotes()
        let verification = configuration.verification
        let delivery = configuration.delivery
        self.verification = VerificationClient.Configuration(
            dialect: VerificationDialect(verification.dialect),
            url: remotes.verificationURL.url.absoluteString,
            apiKey: remotes.apiKey,
            apiSecret: remotes.apiSecret,
            authentication: verification.authentication == .sign
                ? .sign(validFor: verification.signLifetime) : .keyAndSecret,
            timeout: verification.timeout
        )
        self.verificationHTTP = try Self.reaching("verification", as: configuration) { () throws(OutboundHTTPError) in
            try OutboundHTTPClient.Configuration(
                configuration.http,
                tls: verification.tls,
                proxy: verification.proxy,
                concurrency: verification.concurrency
            )
        }
        self.delivery = BusinessBackendClient.Configuration(
            url: remotes.deliveryURL.url.absoluteString,
            timeout: delivery.timeout,
            retcodes: RetcodeTable(delivery.retcodes),
            replyNames: ReplyNames(delivery.reply),
            body: delivery.body == .multipart
                ? .multipart : .octetStream(OctetStreamUpload(headerPrefix: delivery.headerPrefix)),
            replyEncryption: try ReplyEncryption.configured(delivery.reply)
        )
        self.deliveryHTTP = try Self.reaching("delivery", as: configuration) { () throws(OutboundHTTPError) in
            try OutboundHTTPClient.Configuration(
                configuration.http,
                tls: delivery.tls,
                proxy: delivery.proxy,
                concurrency: delivery.concurrency
            )
        }
        self.names = FormNames(delivery)
        self.token = remotes.token
        self.userNumber = delivery.userNumber
    }

    /// Names the section of the configuration in what is wrong with a connection's settings.
    private static func reaching(
        _ section: String,
        as configuration: AppConfiguration,
        _ make: () throws(OutboundHTTPError) -> OutboundHTTPClient.Configuration
    ) throws(ConfigurationError) -> OutboundHTTPClient.Configuration {
        do throws(OutboundHTTPError) {
            return try make()
        } catch {
            // What a proxy needs, its own form has seen to.
            let key = "\(section).tls"
            let problem = ConfigurationError.Problem(.certificateUnusable, key: key, "\(key): \(error.message)")
            throw ConfigurationError([problem], notices: configuration.notices, file: configuration.file)
        }
    }

    /// The services of this process: as the configuration says but for what belongs to the remote side.
    init(embedded addresses: EmbeddedEndpoints.Addresses, configuration: AppConfiguration) {
        self.verification = VerificationClient.Configuration(
            url: addresses.verifier,
            apiKey: addresses.credentials.apiKey,
            apiSecret: addresses.credentials.apiSecret,
            timeout: configuration.verification.timeout
        )
        self.delivery = BusinessBackendClient.Configuration(
            url: addresses.backend,
            timeout: configuration.delivery.timeout,
            retcodes: RetcodeTable(
                success: ["000000"],
                alreadyExists: ["000001"],
                tokenExpired: ["100001", "100002"],
                retryable: ["900001"]
            )
        )
        var http = OutboundHTTPClient.Configuration()
        http.connectTimeout = configuration.http.connectTimeout
        http.maximumConnectionsPerHost = max(http.maximumConnectionsPerHost, configuration.delivery.concurrency)
        http.maximumReplyBytes = configuration.http.maximumReplyBytes
        self.verificationHTTP = http
        self.deliveryHTTP = http
        self.names = FormNames()
        self.token = .fixed(addresses.credentials.token)
        self.userNumber = configuration.delivery.userNumber ?? Redacted("embedded")
    }
}

extension VerificationDialect {
    fileprivate init(_ dialect: AppConfiguration.Verification.Dialect) {
        switch dialect {
        case .faceidV1: self = .faceIDv1
        case .faceppV1: self = .faceppv1
        case .faceidV3: self = .faceIDv3
        }
    }
}

extension RetcodeTable {
    fileprivate init(_ retcodes: AppConfiguration.Delivery.Retcodes) {
        self.init(
            success: Set(retcodes.success),
            alreadyExists: Set(retcodes.alreadyExists),
            tokenExpired: Set(retcodes.tokenExpired),
            retryable: Set(retcodes.retryable),
            rejected: Set(retcodes.rejected)
        )
    }
}

extension ReplyNames {
    fileprivate init(_ reply: AppConfiguration.Delivery.Reply) {
        self.init()
        self.code = reply.code
        self.message = reply.message
        self.items = reply.items
    }
}

extension ReplyEncryption {
    /// What the configuration says; `nil` if replies are not encrypted.
    fileprivate static func configured(
        _ reply: AppConfiguration.Delivery.Reply
    ) throws(ConfigurationError) -> ReplyEncryption? {
        let mode: Mode
        switch reply.encryption {
        case .none: return nil
        case .tripleDESChained: mode = .cbc
        case .tripleDESBlocks: mode = .ecb
        }
        guard let key = reply.key else { return nil }
        return ReplyEncryption(mode, key: try key.read(), startVector: Redacted(reply.initialisationVector))
    }
}

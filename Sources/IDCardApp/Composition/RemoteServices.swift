import Foundation
import IDCardCore
import IDCardDelivery
import IDCardVerification

/// Which services a pipeline calls: the configured ones, or the embedded ones of this process.
struct RemoteServices: Sendable {
    var verificationURL: String
    var apiKey: Redacted<String>
    var apiSecret: Redacted<String>
    var deliveryURL: String
    var token: TokenSource
    var userNumber: Redacted<String>?
    var retcodes: RetcodeTable

    /// The services of the configuration.
    init(_ remotes: AppConfiguration.Remotes, delivery: AppConfiguration.Delivery) {
        self.verificationURL = remotes.verificationURL.url.absoluteString
        self.apiKey = remotes.apiKey
        self.apiSecret = remotes.apiSecret
        self.deliveryURL = remotes.deliveryURL.url.absoluteString
        self.token = remotes.token
        self.userNumber = delivery.userNumber
        self.retcodes = RetcodeTable(
            success: Set(delivery.retcodes.success),
            alreadyExists: Set(delivery.retcodes.alreadyExists),
            tokenExpired: Set(delivery.retcodes.tokenExpired),
            retryable: Set(delivery.retcodes.retryable)
        )
    }

    /// The services of this process.
    init(embedded addresses: EmbeddedEndpoints.Addresses, userNumber: Redacted<String>?) {
        self.verificationURL = addresses.verifier
        self.apiKey = addresses.credentials.apiKey
        self.apiSecret = addresses.credentials.apiSecret
        self.deliveryURL = addresses.backend
        self.token = .fixed(addresses.credentials.token)
        self.userNumber = userNumber ?? Redacted("embedded")
        self.retcodes = RetcodeTable(
            success: ["000000"],
            alreadyExists: ["000001"],
            tokenExpired: ["100001", "100002"],
            retryable: []
        )
    }
}

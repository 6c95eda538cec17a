import IDCardCore
import IDCardMultipartForm

/// Says in every request whose it is.
struct Credentials: Sendable {
    private static let lifetimes: ClosedRange<Duration> = .seconds(1)...(.seconds(366 * 86_400))

    private let key: Redacted<String>
    private let secret: Redacted<String>
    private let authentication: VerificationClient.Authentication
    private let now: @Sendable () -> Timestamp
    private let random: @Sendable () -> UInt64

    /// Checks the credentials of a configuration.
    ///
    /// - Parameters:
    ///   - now: the wall clock, for signatures.
    ///   - random: gives a number that differs from call to call, for signatures.
    /// - Throws: ``VerificationError``: `missing_credentials` or `invalid_lifetime`.
    init(
        _ configuration: VerificationClient.Configuration,
        now: @escaping @Sendable () -> Timestamp,
        random: @escaping @Sendable () -> UInt64
    ) throws(VerificationError) {
        for (name, value) in [("api_key", configuration.apiKey), ("api_secret", configuration.apiSecret)]
        where value.reveal().isEmpty {
            throw VerificationError(.missingCredentials, "verification.\(name) is empty: set it to the account's value")
        }
        if case .sign(let lifetime) = configuration.authentication, !Self.lifetimes.contains(lifetime) {
            throw VerificationError(
                .invalidLifetime,
                "verification.sign_lifetime is \(lifetime): a signature is good for a second at least and a year at most"
            )
        }
        self.key = configuration.apiKey
        self.secret = configuration.apiSecret
        self.authentication = configuration.authentication
        self.now = now
        self.random = random
    }

    /// Makes the parts of one attempt; a signature is a fresh one.
    func parts() -> [MultipartForm.Part] {
        switch self.authentication {
        case .keyAndSecret:
            [.text(self.key.reveal(), name: "api_key"), .text(self.secret.reveal(), name: "api_secret")]
        case .sign(let lifetime):
            self.signed { $0 + lifetime.components.seconds }
        case .singleUseSign:
            self.signed { _ in 0 }
        }
    }

    /// Whether a text repeats the key or the secret.
    func occur(in text: String) -> Bool {
        text.contains(self.key.reveal()) || text.contains(self.secret.reveal())
    }

    private func signed(expiry: (Int64) -> Int64) -> [MultipartForm.Part] {
        let now = self.now().millisecondsSinceEpoch / 1000
        let sign = RequestSign(
            key: self.key.reveal(),
            secret: self.secret.reveal(),
            expiry: expiry(now),
            now: now,
            random: self.random()
        )
        return [.text(sign.value, name: "sign"), .text(RequestSign.version, name: "sign_version")]
    }
}

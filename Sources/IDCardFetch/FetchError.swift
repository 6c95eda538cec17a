/// Says why images cannot be fetched as the settings want it.
///
/// What happens to a single image is a value, `ImageFetcher.Outcome`, not an error.
package struct FetchError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case invalidHostPattern = "invalid_host_pattern"
            case invalidAddressBlock = "invalid_address_block"
            case invalidSetting = "invalid_setting"
            case tlsUnusable = "tls_unusable"
        }

        private let wrapped: Wrapped

        /// An entry of `fetch.hosts` that is no host.
        package static let invalidHostPattern = Code(wrapped: .invalidHostPattern)
        /// An entry of `fetch.allow_addresses` that is no block of addresses.
        package static let invalidAddressBlock = Code(wrapped: .invalidAddressBlock)
        /// A number out of its range.
        package static let invalidSetting = Code(wrapped: .invalidSetting)
        /// TLS settings that cannot be used for fetching.
        package static let tlsUnusable = Code(wrapped: .tlsUnusable)

        /// The code in words, such as `invalid_host_pattern`.
        package var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    package let code: Code
    /// What is wrong and what to do, for people.
    package let message: String
    /// The error underneath, when there is one.
    package let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    package var description: String { "\(self.code): \(self.message)" }
}

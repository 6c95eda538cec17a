/// Says why a delivery cannot be formed or its client not be set up; what happens to a delivery is a value,
/// `DeliveryOutcome`.
package struct DeliveryError: Error, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Wrapped: String {
            case unsupportedLayout = "unsupported_layout"
            case invalidURL = "invalid_url"
            case userNumberMissing = "user_no_missing"
            case memberCount = "member_count"
            case memberMismatch = "member_mismatch"
            case unsupportedEncryption = "unsupported_encryption"
            case invalidEncryption = "invalid_encryption"
            case imageMissing = "image_missing"
            case formInvalid = "form_invalid"
        }

        private let wrapped: Wrapped

        /// The layout does not go with the kind of body.
        package static let unsupportedLayout = Code(wrapped: .unsupportedLayout)
        /// `delivery.url` is not a URL that a request can be sent to.
        package static let invalidURL = Code(wrapped: .invalidURL)
        /// Neither the card nor the configuration names a user account.
        package static let userNumberMissing = Code(wrapped: .userNumberMissing)
        /// The layout does not hold so many cards.
        package static let memberCount = Code(wrapped: .memberCount)
        /// The cards do not belong into one delivery, or not in this order.
        package static let memberMismatch = Code(wrapped: .memberMismatch)
        /// This program was built without what decrypts replies.
        package static let unsupportedEncryption = Code(wrapped: .unsupportedEncryption)
        /// The key or the start vector of the replies' encryption has an impossible length.
        package static let invalidEncryption = Code(wrapped: .invalidEncryption)
        /// A part names a card whose image is not at hand.
        package static let imageMissing = Code(wrapped: .imageMissing)
        /// The parts do not make a form, or the key does not make a header.
        package static let formInvalid = Code(wrapped: .formInvalid)

        /// The code in words, such as `user_no_missing`.
        package var description: String { self.wrapped.rawValue }
    }

    /// The reason, for programs.
    package let code: Code
    /// What is wrong and what to do, without names, numbers and tokens.
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

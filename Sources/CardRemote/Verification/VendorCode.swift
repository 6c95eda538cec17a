import CardModel

/// The error codes that the vendor documents for related interfaces; for FaceID v1 and v3 it documents none. `ErrorCodes.md`
/// documents the class of each code; a test compares the two.
enum VendorCode: String, CaseIterable, Sendable {
    case authenticationError = "AUTHENTICATION_ERROR"
    case authorizationError = "AUTHORIZATION_ERROR"
    case insufficientPermission = "INSUFFICIENT_PERMISSION"
    case concurrencyLimitExceeded = "CONCURRENCY_LIMIT_EXCEEDED"
    case interfaceNotFound = "API_NOT_FOUND"
    case missingArguments = "MISSING_ARGUMENTS"
    case badArguments = "BAD_ARGUMENTS"
    case coexistenceArguments = "COEXISTENCE_ARGUMENTS"
    case invalidImageSize = "INVALID_IMAGE_SIZE"
    case imageFileTooLarge = "IMAGE_FILE_TOO_LARGE"
    case requestEntityTooLarge = "Request Entity Too Large"
    case unsupportedImageFormat = "IMAGE_ERROR_UNSUPPORTED_FORMAT"
    case invalidImageURL = "INVALID_IMAGE_URL"
    case imageDownloadTimeout = "IMAGE_DOWNLOAD_TIMEOUT"
    case internalError = "INTERNAL_ERROR"

    /// The class of the failure, the scope of a stop, and the message for a code, with the remedy. A wrong argument or address
    /// may concern a single request, so its scope is `request`.
    var consequence: (failureClass: FailureClass, scope: RemoteFailure.StopScope, message: (String) -> Message) {
        switch self {
        case .authenticationError: (.stop, .account, Message.verifierAuthentication)
        case .authorizationError: (.stop, .account, Message.verifierAuthorization)
        case .insufficientPermission: (.stop, .account, Message.verifierPermission)
        case .concurrencyLimitExceeded: (.throttled, .account, Message.verifierConcurrency)
        case .interfaceNotFound: (.stop, .request, Message.verifierInterface)
        case .missingArguments, .badArguments, .coexistenceArguments: (.stop, .request, Message.verifierArguments)
        case .invalidImageSize: (.shrink, .account, Message.verifierImageSize)
        case .imageFileTooLarge, .requestEntityTooLarge: (.shrink, .account, Message.verifierFileSize)
        case .unsupportedImageFormat: (.rejected, .account, Message.verifierUndecodable)
        case .invalidImageURL: (.rejected, .account, Message.verifierImageURL)
        case .internalError, .imageDownloadTimeout: (.transient, .account, Message.verifierFailed)
        }
    }
}

import CardModel

/// The error codes that the vendor's pages list, collected from the pages of all sister interfaces: none for FaceID v1
/// and v3 themselves is public.
///
/// The class of each is documented in `ErrorCodes.md`; a test compares the two.
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

    /// The class that decides what happens next.
    var failureClass: FailureClass {
        switch self {
        case .concurrencyLimitExceeded: .throttled
        case .invalidImageSize, .imageFileTooLarge, .requestEntityTooLarge: .shrink
        case .unsupportedImageFormat, .invalidImageURL: .rejected
        case .internalError, .imageDownloadTimeout: .transient
        case .authenticationError, .authorizationError, .insufficientPermission, .interfaceNotFound: .stop
        case .missingArguments, .badArguments, .coexistenceArguments: .stop
        }
    }

    /// What a ``FailureClass/stop`` is about: an argument or an address may be the oddity of one request.
    var stopScope: RemoteFailure.StopScope {
        switch self {
        case .missingArguments, .badArguments, .coexistenceArguments, .interfaceNotFound: .request
        default: .account
        }
    }

    /// What happened, named by the code as it is shown, and what to do.
    func message(_ error: String) -> Message {
        switch self {
        case .authenticationError: .verifierAuthentication(error)
        case .authorizationError: .verifierAuthorization(error)
        case .insufficientPermission: .verifierPermission(error)
        case .concurrencyLimitExceeded: .verifierConcurrency(error)
        case .interfaceNotFound: .verifierInterface(error)
        case .missingArguments, .badArguments, .coexistenceArguments: .verifierArguments(error)
        case .invalidImageSize: .verifierImageSize(error)
        case .imageFileTooLarge, .requestEntityTooLarge: .verifierFileSize(error)
        case .unsupportedImageFormat: .verifierUndecodable(error)
        case .invalidImageURL: .verifierImageURL(error)
        case .internalError, .imageDownloadTimeout: .verifierFailed(error)
        }
    }
}

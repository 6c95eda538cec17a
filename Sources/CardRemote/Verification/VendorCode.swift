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

    /// What happened, and what to do.
    var explanation: (what: Message, remedy: Message) {
        switch self {
        case .authenticationError:
            (
                "the verifier refused the API key",
                "check verification.api_key and verification.api_secret; for signed requests also this machine's clock"
            )
        case .authorizationError:
            ("the verifier denies this API key the service", "check the account's balance, quota and permissions")
        case .insufficientPermission:
            ("the API key may not use a parameter", "ask the vendor to license the legality scores")
        case .concurrencyLimitExceeded:
            ("the key's calls per second are used up", "the pipeline slows down; lower verification.concurrency")
        case .interfaceNotFound:
            ("the verifier has no such interface", "check verification.url and verification.dialect")
        case .missingArguments, .badArguments, .coexistenceArguments:
            (
                "the verifier refused the request's arguments",
                "check verification.dialect and verification.auth; if they are right, report this"
            )
        case .invalidImageSize:
            ("the verifier finds the image too large or too small", "it is made smaller once; else take a new photo")
        case .imageFileTooLarge, .requestEntityTooLarge:
            ("the verifier finds the file too large", "it is made smaller once; lower imaging.byte_budget")
        case .unsupportedImageFormat:
            ("the verifier cannot decode the image", "take a new photo")
        case .invalidImageURL:
            ("the verifier found no image at the URL", "check verification.dialect")
        case .internalError, .imageDownloadTimeout:
            ("the verifier failed", "the call is repeated")
        }
    }
}

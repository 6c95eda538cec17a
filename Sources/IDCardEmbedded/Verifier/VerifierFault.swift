import HTTPTypes
import Hummingbird

/// An error in the vendor's vocabulary: the string is the contract, the status goes with it.
struct VerifierFault: Error, Equatable {
    let status: HTTPResponse.Status
    /// The error string, for example `MISSING_ARGUMENTS: image`.
    let message: String
    /// Whether the reply is plain text without JSON, as the front server answers before any program sees the request.
    var isPlainText = false
    /// Whether `request_id` and `time_used` are given; the vendor leaves them out on an unknown path.
    var namesRequest = true
    /// Whether the connection ends with the answer, because the rest of the body is not wanted.
    var endsConnection = false

    /// Key unknown, or the secret is not the key's.
    static let authentication = VerifierFault(status: .unauthorized, message: "AUTHENTICATION_ERROR")

    /// More requests at once than allowed.
    static let concurrency = VerifierFault(
        status: .forbidden,
        message: "CONCURRENCY_LIMIT_EXCEEDED",
        endsConnection: true
    )

    /// No such path or method.
    static let unknownPath = VerifierFault(status: .notFound, message: "API_NOT_FOUND", namesRequest: false)

    /// The whole body is over the limit.
    static let bodyTooLarge = VerifierFault(
        status: .contentTooLarge,
        message: "Request Entity Too Large",
        isPlainText: true,
        endsConnection: true
    )

    /// The image is over the limit.
    static let imageTooLarge = VerifierFault(status: .badRequest, message: "IMAGE_FILE_TOO_LARGE: image")

    /// The picture has too many or too few pixels.
    static let imageSize = VerifierFault(status: .badRequest, message: "INVALID_IMAGE_SIZE: image")

    /// The bytes are no JPEG that can be decoded.
    static let imageFormat = VerifierFault(status: .badRequest, message: "IMAGE_ERROR_UNSUPPORTED_FORMAT: image")

    /// Something failed here.
    static let `internal` = VerifierFault(status: .internalServerError, message: "INTERNAL_ERROR")

    /// A required part is missing.
    static func missing(_ part: String) -> VerifierFault {
        VerifierFault(status: .badRequest, message: "MISSING_ARGUMENTS: \(part)")
    }

    /// A part has a value that is not allowed.
    static func bad(_ part: String) -> VerifierFault {
        VerifierFault(status: .badRequest, message: "BAD_ARGUMENTS:\(part)")
    }
}

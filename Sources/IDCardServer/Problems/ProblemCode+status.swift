import HTTPTypes

extension ProblemCode {
    /// The status of every problem of this code.
    var status: HTTPResponse.Status {
        switch self {
        case .requestMalformed, .bodyTruncated, .formMalformed, .keyMalformed: .badRequest
        case .unauthorized, .signatureInvalid: .unauthorized
        case .scopeMissing: .forbidden
        case .notFound, .cardNotFound, .runNotFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .headTimeout, .bodyTimeout: .requestTimeout
        case .cardUnderway, .keyInProgress, .webhookReused, .changeRefused: .conflict
        case .bodyTooLarge, .formTooLarge, .imageTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .mediaTypeUnsupported, .codingUnsupported, .formatUnsupported, .formatHEIC: .unsupportedMediaType
        case .expectationUnknown: .expectationFailed
        case .jsonInvalid, .imageMissing, .imageEmpty, .imageInvalid, .fieldUnknown, .fieldDuplicate, .fieldInvalid,
            .businessNumberMissing, .businessNumberInvalid, .userNumberMissing, .addressInvalid, .addressRefused,
            .keyReused, .sourceUnknown, .parameterInvalid:
            .unprocessableContent
        case .rateLimited: .tooManyRequests
        case .headerTooLarge: .requestHeaderFieldsTooLarge
        case .internalError: .internalServerError
        case .versionUnsupported: .httpVersionNotSupported
        case .queueFull, .diskSpaceLow, .shuttingDown, .intakeClosed, .storeUnavailable, .keyMissing, .busy,
            .connectionsExhausted:
            .serviceUnavailable
        }
    }

    /// What people read first; constant, so that it never holds anything personal.
    var title: String {
        switch self {
        case .requestMalformed: "The request is not well-formed HTTP/1.1."
        case .headTimeout: "The head of the request did not arrive in time."
        case .headerTooLarge: "The header fields of the request are too many or too large."
        case .targetTooLong: "The target of the request is too long."
        case .versionUnsupported: "Only HTTP/1.1 and HTTP/1.0 are understood."
        case .expectationUnknown: "The only expectation that is understood is 100-continue."
        case .notFound: "There is nothing at this path."
        case .methodNotAllowed: "This path does not take this method."
        case .connectionsExhausted: "Too many connections are open."
        case .unauthorized: "A valid token is needed: Authorization: Bearer."
        case .scopeMissing: "The token lacks the scope that this needs."
        case .rateLimited: "Too many requests; wait before the next one."
        case .signatureInvalid: "The webhook is not accepted."
        default: self.contentTitle
        }
    }

    private var contentTitle: String {
        switch self {
        case .queueFull: "The queue is full; send it again later."
        case .diskSpaceLow: "The disk has no room for more; send it again later."
        case .shuttingDown: "The service is coming to its end; send it again later."
        case .intakeClosed: "Nothing is taken in just now; send it again later."
        case .storeUnavailable: "The store does not work just now; send it again later."
        case .keyMissing: "The store does not open with the keys of this service; send it again later."
        case .busy: "Too much is under way at once; send it again later."
        case .bodyTruncated: "The body ended early or is not well-formed; send it again."
        case .bodyTimeout: "The body arrived too slowly."
        case .bodyTooLarge: "The body has too many bytes."
        case .formMalformed: "The body is not a well-formed multipart/form-data form."
        case .formTooLarge: "The form exceeds a limit."
        case .mediaTypeUnsupported: "The content type is not one that this path takes."
        case .codingUnsupported: "Bodies are taken without content coding only."
        case .jsonInvalid: "The body is not the JSON object that this path takes."
        default: self.cardTitle
        }
    }

    private var cardTitle: String {
        switch self {
        case .imageMissing: "There is no image; send it as the part 'image'."
        case .imageEmpty: "The image has no bytes."
        case .imageTooLarge: "The image has too many bytes."
        case .imageInvalid: "The image is not valid Base64."
        case .formatUnsupported: "The image is neither a JPEG nor a PNG."
        case .formatHEIC: "The image is HEIC; convert it to JPEG, or set the camera to 'most compatible'."
        case .fieldUnknown: "There is a field that is not known."
        case .fieldDuplicate: "A field is given more than once."
        case .fieldInvalid: "A field has a value that it cannot have."
        case .businessNumberMissing: "The business number is missing."
        case .businessNumberInvalid: "The business number is not one that can be taken."
        case .userNumberMissing: "The user account is missing (user_no), and the configuration names none."
        case .addressInvalid: "The address of the image is not an absolute http or https URL."
        case .addressRefused: "Images are not fetched from this address."
        case .cardUnderway: "The same image is under way or done with other metadata, which cannot change any more."
        case .keyMalformed: "The Idempotency-Key is not one string of 1 to 255 printable ASCII characters."
        case .keyInProgress: "A request with this Idempotency-Key is under way; wait and send it again."
        case .keyReused: "This Idempotency-Key was used for another request; use a new one."
        case .webhookReused: "This webhook-id was used for another message."
        case .cardNotFound: "There is no card of this id."
        case .runNotFound: "There is no run of this id."
        case .sourceUnknown: "There is no source of this name in the configuration."
        case .changeRefused: "The card cannot be changed so."
        case .parameterInvalid: "A parameter has a value that it cannot have."
        default: "Something went wrong here; the log tells more under the request's id."
        }
    }
}

import HTTPTypes

/// The closed set of reasons why a request is not carried out: the `code` of problem details (RFC 9457).
///
/// Each has one status and one title; the table is part of the served OpenAPI document.
enum ProblemCode: String, CaseIterable, Sendable, Encodable {
    // The request as HTTP.
    case requestMalformed = "request_malformed"
    case headTimeout = "head_timeout"
    case headerTooLarge = "header_too_large"
    case targetTooLong = "target_too_long"
    case versionUnsupported = "version_unsupported"
    case expectationUnknown = "expectation_unknown"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case connectionsExhausted = "connections_exhausted"

    // Who asks, and how often.
    case unauthorized
    case scopeMissing = "scope_missing"
    case rateLimited = "rate_limited"
    case signatureInvalid = "signature_invalid"

    // Room.
    case queueFull = "queue_full"
    case diskSpaceLow = "disk_space_low"
    case shuttingDown = "shutting_down"
    case intakeClosed = "intake_closed"
    case storeUnavailable = "store_unavailable"
    case keyMissing = "key_missing"
    case busy

    // The body.
    case bodyTruncated = "body_truncated"
    case bodyTimeout = "body_timeout"
    case bodyTooLarge = "body_too_large"
    case formMalformed = "form_malformed"
    case formTooLarge = "form_too_large"
    case mediaTypeUnsupported = "media_type_unsupported"
    case codingUnsupported = "content_coding_unsupported"
    case jsonInvalid = "json_invalid"

    // The image.
    case imageMissing = "image_missing"
    case imageEmpty = "image_empty"
    case imageTooLarge = "image_too_large_bytes"
    case imageInvalid = "image_invalid"
    case formatUnsupported = "unsupported_format"
    case formatHEIC = "unsupported_format_heic"

    // What is said about it.
    case fieldUnknown = "field_unknown"
    case fieldDuplicate = "field_duplicate"
    case fieldInvalid = "field_invalid"
    case businessNumberMissing = "business_no_missing"
    case businessNumberInvalid = "business_no_invalid"
    case userNumberMissing = "user_no_missing"
    case addressInvalid = "image_url_invalid"
    case addressRefused = "image_url_refused"
    case cardUnderway = "card_underway"

    // Repetitions.
    case keyMalformed = "idempotency_key_malformed"
    case keyInProgress = "idempotency_key_in_progress"
    case keyReused = "idempotency_key_reused"
    case webhookReused = "webhook_id_reused"

    // Cards and runs.
    case cardNotFound = "card_not_found"
    case runNotFound = "run_not_found"
    case sourceUnknown = "source_unknown"
    case changeRefused = "change_refused"
    case parameterInvalid = "parameter_invalid"

    case internalError = "internal_error"
}
